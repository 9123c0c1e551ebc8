//! CRC32C, of RFC 3720, appendix B.4, eight bytes at a time.

const fn tables() -> [[u32; 256]; 8] {
    let mut all = [[0; 256]; 8];
    let mut byte = 0;
    while byte < 256 {
        let mut rest = byte as u32;
        let mut bit = 0;
        while bit < 8 {
            rest = rest >> 1 ^ if rest & 1 == 1 { 0x82f6_3b78 } else { 0 };
            bit += 1;
        }
        all[0][byte] = rest;
        byte += 1;
    }
    let mut table = 1;
    while table < 8 {
        let mut byte = 0;
        while byte < 256 {
            let before = all[table - 1][byte];
            all[table][byte] = before >> 8 ^ all[0][(before & 0xff) as usize];
            byte += 1;
        }
        table += 1;
    }
    all
}

static TABLES: [[u32; 256]; 8] = tables();

/// The checksum of some bytes.
///
/// ```
/// assert_eq!(tern::container::crc32c(b"123456789"), 0xe3069283);
/// ```
pub fn crc32c(bytes: &[u8]) -> u32 {
    let mut rest = !0u32;
    let mut words = bytes.chunks_exact(8);
    for word in &mut words {
        let low = rest ^ u32::from_le_bytes([word[0], word[1], word[2], word[3]]);
        rest = TABLES[7][(low & 0xff) as usize]
            ^ TABLES[6][(low >> 8 & 0xff) as usize]
            ^ TABLES[5][(low >> 16 & 0xff) as usize]
            ^ TABLES[4][(low >> 24) as usize]
            ^ TABLES[3][word[4] as usize]
            ^ TABLES[2][word[5] as usize]
            ^ TABLES[1][word[6] as usize]
            ^ TABLES[0][word[7] as usize];
    }
    for byte in words.remainder() {
        rest = rest >> 8 ^ TABLES[0][((rest ^ u32::from(*byte)) & 0xff) as usize];
    }
    !rest
}
