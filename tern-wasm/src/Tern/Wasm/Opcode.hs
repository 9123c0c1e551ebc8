-- | The operators: every instruction that only takes operands from the stack and
-- puts results there, with at most a memory argument or a lane.
--
-- The idea: what the specification gives as a table is a table here, read by the
-- decoder, validation, the printer and the profile. An operator is known by its
-- @Opcode@: the byte itself, or 0x100 and more after the prefix 0xFC, or 0x200
-- and more after the prefix 0xFD. The module is long because the table is.
--
-- Start at 'operator'.
module Tern.Wasm.Opcode
  ( -- * Operators
    Opcode,
    Operator (..),
    Immediate (..),
    operator,
    operatorName,
    operatorNamed,
  )
where

import Control.Monad (join)
import Data.Char (digitToInt)
import Data.Map.Strict (Map)
import Data.Map.Strict qualified as Map
import Data.Vector (Vector)
import Data.Vector qualified as V
import Tern.Wasm.Type (ValType (..))

-- * Operators

-- | 0 to 0x31F.
type Opcode = Int

data Operator = Operator
  { operatorText :: String,
    operatorParams :: [ValType],
    operatorResults :: [ValType],
    operatorImmediate :: !Immediate
  }

-- | What follows the opcode.
data Immediate
  = NoImmediate
  | -- | A memory argument, and the natural alignment as a power of two.
    MemoryImmediate !Int
  | -- | The same, then a lane of 16 bytes over that size.
    MemoryLaneImmediate !Int
  | -- | A lane below this number.
    LaneImmediate !Int

-- | The operator with an opcode, if the table has it. O(1).
--
-- >>> fmap operatorText (operator 0x6a)
-- Just "i32.add"
operator :: Opcode -> Maybe Operator
operator code
  | code < 0 = Nothing
  | otherwise = join (table V.!? code)

-- | The name in the text format.
operatorName :: Opcode -> String
operatorName code = maybe "unknown" operatorText (operator code)

-- | The opcode with a name in the text format.
operatorNamed :: String -> Maybe Opcode
operatorNamed name = Map.lookup name names

names :: Map String Opcode
names = Map.fromList [(operatorText o, code) | (code, Just o) <- zip [0 ..] (V.toList table)]

table :: Vector (Maybe Operator)
table = V.replicate 0x320 Nothing V.// [(code, Just o) | Just (code, o) <- map row rows]

row :: String -> Maybe (Opcode, Operator)
row line = case words line of
  [code, name, signature, immediate] -> do
    let (ins, outs) = break (== ':') signature
    params <- mapM valType ins
    results <- mapM valType (drop 1 outs)
    following <- case immediate of
      "P" -> Just NoImmediate
      'M' : n -> Just (MemoryImmediate (number n))
      'N' : n -> Just (MemoryLaneImmediate (number n))
      'L' : n -> Just (LaneImmediate (number n))
      _ -> Nothing
    Just (foldl (\n c -> 16 * n + digitToInt c) 0 code, Operator name params results following)
  _ -> Nothing
  where
    number = foldl (\n c -> 10 * n + digitToInt c) 0

valType :: Char -> Maybe ValType
valType = \case
  'i' -> Just I32
  'l' -> Just I64
  'f' -> Just F32
  'd' -> Just F64
  'v' -> Just V128
  _ -> Nothing

-- | Opcode in hexadecimal, name, operands and results (@i l f d v@ for @i32 i64
-- f32 f64 v128@), and the immediate: P none, M and N memory with the natural
-- alignment, L lane.
rows :: [String]
rows =
  lines
    "028 i32.load i:i M2\n\
    \029 i64.load i:l M3\n\
    \02a f32.load i:f M2\n\
    \02b f64.load i:d M3\n\
    \02c i32.load8_s i:i M0\n\
    \02d i32.load8_u i:i M0\n\
    \02e i32.load16_s i:i M1\n\
    \02f i32.load16_u i:i M1\n\
    \030 i64.load8_s i:l M0\n\
    \031 i64.load8_u i:l M0\n\
    \032 i64.load16_s i:l M1\n\
    \033 i64.load16_u i:l M1\n\
    \034 i64.load32_s i:l M2\n\
    \035 i64.load32_u i:l M2\n\
    \036 i32.store ii: M2\n\
    \037 i64.store il: M3\n\
    \038 f32.store if: M2\n\
    \039 f64.store id: M3\n\
    \03a i32.store8 ii: M0\n\
    \03b i32.store16 ii: M1\n\
    \03c i64.store8 il: M0\n\
    \03d i64.store16 il: M1\n\
    \03e i64.store32 il: M2\n\
    \045 i32.eqz i:i P\n\
    \046 i32.eq ii:i P\n\
    \047 i32.ne ii:i P\n\
    \048 i32.lt_s ii:i P\n\
    \049 i32.lt_u ii:i P\n\
    \04a i32.gt_s ii:i P\n\
    \04b i32.gt_u ii:i P\n\
    \04c i32.le_s ii:i P\n\
    \04d i32.le_u ii:i P\n\
    \04e i32.ge_s ii:i P\n\
    \04f i32.ge_u ii:i P\n\
    \050 i64.eqz l:i P\n\
    \051 i64.eq ll:i P\n\
    \052 i64.ne ll:i P\n\
    \053 i64.lt_s ll:i P\n\
    \054 i64.lt_u ll:i P\n\
    \055 i64.gt_s ll:i P\n\
    \056 i64.gt_u ll:i P\n\
    \057 i64.le_s ll:i P\n\
    \058 i64.le_u ll:i P\n\
    \059 i64.ge_s ll:i P\n\
    \05a i64.ge_u ll:i P\n\
    \05b f32.eq ff:i P\n\
    \05c f32.ne ff:i P\n\
    \05d f32.lt ff:i P\n\
    \05e f32.gt ff:i P\n\
    \05f f32.le ff:i P\n\
    \060 f32.ge ff:i P\n\
    \061 f64.eq dd:i P\n\
    \062 f64.ne dd:i P\n\
    \063 f64.lt dd:i P\n\
    \064 f64.gt dd:i P\n\
    \065 f64.le dd:i P\n\
    \066 f64.ge dd:i P\n\
    \067 i32.clz i:i P\n\
    \068 i32.ctz i:i P\n\
    \069 i32.popcnt i:i P\n\
    \06a i32.add ii:i P\n\
    \06b i32.sub ii:i P\n\
    \06c i32.mul ii:i P\n\
    \06d i32.div_s ii:i P\n\
    \06e i32.div_u ii:i P\n\
    \06f i32.rem_s ii:i P\n\
    \070 i32.rem_u ii:i P\n\
    \071 i32.and ii:i P\n\
    \072 i32.or ii:i P\n\
    \073 i32.xor ii:i P\n\
    \074 i32.shl ii:i P\n\
    \075 i32.shr_s ii:i P\n\
    \076 i32.shr_u ii:i P\n\
    \077 i32.rotl ii:i P\n\
    \078 i32.rotr ii:i P\n\
    \079 i64.clz l:l P\n\
    \07a i64.ctz l:l P\n\
    \07b i64.popcnt l:l P\n\
    \07c i64.add ll:l P\n\
    \07d i64.sub ll:l P\n\
    \07e i64.mul ll:l P\n\
    \07f i64.div_s ll:l P\n\
    \080 i64.div_u ll:l P\n\
    \081 i64.rem_s ll:l P\n\
    \082 i64.rem_u ll:l P\n\
    \083 i64.and ll:l P\n\
    \084 i64.or ll:l P\n\
    \085 i64.xor ll:l P\n\
    \086 i64.shl ll:l P\n\
    \087 i64.shr_s ll:l P\n\
    \088 i64.shr_u ll:l P\n\
    \089 i64.rotl ll:l P\n\
    \08a i64.rotr ll:l P\n\
    \08b f32.abs f:f P\n\
    \08c f32.neg f:f P\n\
    \08d f32.ceil f:f P\n\
    \08e f32.floor f:f P\n\
    \08f f32.trunc f:f P\n\
    \090 f32.nearest f:f P\n\
    \091 f32.sqrt f:f P\n\
    \092 f32.add ff:f P\n\
    \093 f32.sub ff:f P\n\
    \094 f32.mul ff:f P\n\
    \095 f32.div ff:f P\n\
    \096 f32.min ff:f P\n\
    \097 f32.max ff:f P\n\
    \098 f32.copysign ff:f P\n\
    \099 f64.abs d:d P\n\
    \09a f64.neg d:d P\n\
    \09b f64.ceil d:d P\n\
    \09c f64.floor d:d P\n\
    \09d f64.trunc d:d P\n\
    \09e f64.nearest d:d P\n\
    \09f f64.sqrt d:d P\n\
    \0a0 f64.add dd:d P\n\
    \0a1 f64.sub dd:d P\n\
    \0a2 f64.mul dd:d P\n\
    \0a3 f64.div dd:d P\n\
    \0a4 f64.min dd:d P\n\
    \0a5 f64.max dd:d P\n\
    \0a6 f64.copysign dd:d P\n\
    \0a7 i32.wrap_i64 l:i P\n\
    \0a8 i32.trunc_f32_s f:i P\n\
    \0a9 i32.trunc_f32_u f:i P\n\
    \0aa i32.trunc_f64_s d:i P\n\
    \0ab i32.trunc_f64_u d:i P\n\
    \0ac i64.extend_i32_s i:l P\n\
    \0ad i64.extend_i32_u i:l P\n\
    \0ae i64.trunc_f32_s f:l P\n\
    \0af i64.trunc_f32_u f:l P\n\
    \0b0 i64.trunc_f64_s d:l P\n\
    \0b1 i64.trunc_f64_u d:l P\n\
    \0b2 f32.convert_i32_s i:f P\n\
    \0b3 f32.convert_i32_u i:f P\n\
    \0b4 f32.convert_i64_s l:f P\n\
    \0b5 f32.convert_i64_u l:f P\n\
    \0b6 f32.demote_f64 d:f P\n\
    \0b7 f64.convert_i32_s i:d P\n\
    \0b8 f64.convert_i32_u i:d P\n\
    \0b9 f64.convert_i64_s l:d P\n\
    \0ba f64.convert_i64_u l:d P\n\
    \0bb f64.promote_f32 f:d P\n\
    \0bc i32.reinterpret_f32 f:i P\n\
    \0bd i64.reinterpret_f64 d:l P\n\
    \0be f32.reinterpret_i32 i:f P\n\
    \0bf f64.reinterpret_i64 l:d P\n\
    \0c0 i32.extend8_s i:i P\n\
    \0c1 i32.extend16_s i:i P\n\
    \0c2 i64.extend8_s l:l P\n\
    \0c3 i64.extend16_s l:l P\n\
    \0c4 i64.extend32_s l:l P\n\
    \100 i32.trunc_sat_f32_s f:i P\n\
    \101 i32.trunc_sat_f32_u f:i P\n\
    \102 i32.trunc_sat_f64_s d:i P\n\
    \103 i32.trunc_sat_f64_u d:i P\n\
    \104 i64.trunc_sat_f32_s f:l P\n\
    \105 i64.trunc_sat_f32_u f:l P\n\
    \106 i64.trunc_sat_f64_s d:l P\n\
    \107 i64.trunc_sat_f64_u d:l P\n\
    \200 v128.load i:v M4\n\
    \201 v128.load8x8_s i:v M3\n\
    \202 v128.load8x8_u i:v M3\n\
    \203 v128.load16x4_s i:v M3\n\
    \204 v128.load16x4_u i:v M3\n\
    \205 v128.load32x2_s i:v M3\n\
    \206 v128.load32x2_u i:v M3\n\
    \207 v128.load8_splat i:v M0\n\
    \208 v128.load16_splat i:v M1\n\
    \209 v128.load32_splat i:v M2\n\
    \20a v128.load64_splat i:v M3\n\
    \20b v128.store iv: M4\n\
    \20e i8x16.swizzle vv:v P\n\
    \20f i8x16.splat i:v P\n\
    \210 i16x8.splat i:v P\n\
    \211 i32x4.splat i:v P\n\
    \212 i64x2.splat l:v P\n\
    \213 f32x4.splat f:v P\n\
    \214 f64x2.splat d:v P\n\
    \215 i8x16.extract_lane_s v:i L16\n\
    \216 i8x16.extract_lane_u v:i L16\n\
    \217 i8x16.replace_lane vi:v L16\n\
    \218 i16x8.extract_lane_s v:i L8\n\
    \219 i16x8.extract_lane_u v:i L8\n\
    \21a i16x8.replace_lane vi:v L8\n\
    \21b i32x4.extract_lane v:i L4\n\
    \21c i32x4.replace_lane vi:v L4\n\
    \21d i64x2.extract_lane v:l L2\n\
    \21e i64x2.replace_lane vl:v L2\n\
    \21f f32x4.extract_lane v:f L4\n\
    \220 f32x4.replace_lane vf:v L4\n\
    \221 f64x2.extract_lane v:d L2\n\
    \222 f64x2.replace_lane vd:v L2\n\
    \223 i8x16.eq vv:v P\n\
    \224 i8x16.ne vv:v P\n\
    \225 i8x16.lt_s vv:v P\n\
    \226 i8x16.lt_u vv:v P\n\
    \227 i8x16.gt_s vv:v P\n\
    \228 i8x16.gt_u vv:v P\n\
    \229 i8x16.le_s vv:v P\n\
    \22a i8x16.le_u vv:v P\n\
    \22b i8x16.ge_s vv:v P\n\
    \22c i8x16.ge_u vv:v P\n\
    \22d i16x8.eq vv:v P\n\
    \22e i16x8.ne vv:v P\n\
    \22f i16x8.lt_s vv:v P\n\
    \230 i16x8.lt_u vv:v P\n\
    \231 i16x8.gt_s vv:v P\n\
    \232 i16x8.gt_u vv:v P\n\
    \233 i16x8.le_s vv:v P\n\
    \234 i16x8.le_u vv:v P\n\
    \235 i16x8.ge_s vv:v P\n\
    \236 i16x8.ge_u vv:v P\n\
    \237 i32x4.eq vv:v P\n\
    \238 i32x4.ne vv:v P\n\
    \239 i32x4.lt_s vv:v P\n\
    \23a i32x4.lt_u vv:v P\n\
    \23b i32x4.gt_s vv:v P\n\
    \23c i32x4.gt_u vv:v P\n\
    \23d i32x4.le_s vv:v P\n\
    \23e i32x4.le_u vv:v P\n\
    \23f i32x4.ge_s vv:v P\n\
    \240 i32x4.ge_u vv:v P\n\
    \241 f32x4.eq vv:v P\n\
    \242 f32x4.ne vv:v P\n\
    \243 f32x4.lt vv:v P\n\
    \244 f32x4.gt vv:v P\n\
    \245 f32x4.le vv:v P\n\
    \246 f32x4.ge vv:v P\n\
    \247 f64x2.eq vv:v P\n\
    \248 f64x2.ne vv:v P\n\
    \249 f64x2.lt vv:v P\n\
    \24a f64x2.gt vv:v P\n\
    \24b f64x2.le vv:v P\n\
    \24c f64x2.ge vv:v P\n\
    \24d v128.not v:v P\n\
    \24e v128.and vv:v P\n\
    \24f v128.andnot vv:v P\n\
    \250 v128.or vv:v P\n\
    \251 v128.xor vv:v P\n\
    \252 v128.bitselect vvv:v P\n\
    \253 v128.any_true v:i P\n\
    \254 v128.load8_lane iv:v N0\n\
    \255 v128.load16_lane iv:v N1\n\
    \256 v128.load32_lane iv:v N2\n\
    \257 v128.load64_lane iv:v N3\n\
    \258 v128.store8_lane iv: N0\n\
    \259 v128.store16_lane iv: N1\n\
    \25a v128.store32_lane iv: N2\n\
    \25b v128.store64_lane iv: N3\n\
    \25c v128.load32_zero i:v M2\n\
    \25d v128.load64_zero i:v M3\n\
    \25e f32x4.demote_f64x2_zero v:v P\n\
    \25f f64x2.promote_low_f32x4 v:v P\n\
    \260 i8x16.abs v:v P\n\
    \261 i8x16.neg v:v P\n\
    \262 i8x16.popcnt v:v P\n\
    \263 i8x16.all_true v:i P\n\
    \264 i8x16.bitmask v:i P\n\
    \265 i8x16.narrow_i16x8_s vv:v P\n\
    \266 i8x16.narrow_i16x8_u vv:v P\n\
    \267 f32x4.ceil v:v P\n\
    \268 f32x4.floor v:v P\n\
    \269 f32x4.trunc v:v P\n\
    \26a f32x4.nearest v:v P\n\
    \26b i8x16.shl vi:v P\n\
    \26c i8x16.shr_s vi:v P\n\
    \26d i8x16.shr_u vi:v P\n\
    \26e i8x16.add vv:v P\n\
    \26f i8x16.add_sat_s vv:v P\n\
    \270 i8x16.add_sat_u vv:v P\n\
    \271 i8x16.sub vv:v P\n\
    \272 i8x16.sub_sat_s vv:v P\n\
    \273 i8x16.sub_sat_u vv:v P\n\
    \274 f64x2.ceil v:v P\n\
    \275 f64x2.floor v:v P\n\
    \276 i8x16.min_s vv:v P\n\
    \277 i8x16.min_u vv:v P\n\
    \278 i8x16.max_s vv:v P\n\
    \279 i8x16.max_u vv:v P\n\
    \27a f64x2.trunc v:v P\n\
    \27b i8x16.avgr_u vv:v P\n\
    \27c i16x8.extadd_pairwise_i8x16_s v:v P\n\
    \27d i16x8.extadd_pairwise_i8x16_u v:v P\n\
    \27e i32x4.extadd_pairwise_i16x8_s v:v P\n\
    \27f i32x4.extadd_pairwise_i16x8_u v:v P\n\
    \280 i16x8.abs v:v P\n\
    \281 i16x8.neg v:v P\n\
    \282 i16x8.q15mulr_sat_s vv:v P\n\
    \283 i16x8.all_true v:i P\n\
    \284 i16x8.bitmask v:i P\n\
    \285 i16x8.narrow_i32x4_s vv:v P\n\
    \286 i16x8.narrow_i32x4_u vv:v P\n\
    \287 i16x8.extend_low_i8x16_s v:v P\n\
    \288 i16x8.extend_high_i8x16_s v:v P\n\
    \289 i16x8.extend_low_i8x16_u v:v P\n\
    \28a i16x8.extend_high_i8x16_u v:v P\n\
    \28b i16x8.shl vi:v P\n\
    \28c i16x8.shr_s vi:v P\n\
    \28d i16x8.shr_u vi:v P\n\
    \28e i16x8.add vv:v P\n\
    \28f i16x8.add_sat_s vv:v P\n\
    \290 i16x8.add_sat_u vv:v P\n\
    \291 i16x8.sub vv:v P\n\
    \292 i16x8.sub_sat_s vv:v P\n\
    \293 i16x8.sub_sat_u vv:v P\n\
    \294 f64x2.nearest v:v P\n\
    \295 i16x8.mul vv:v P\n\
    \296 i16x8.min_s vv:v P\n\
    \297 i16x8.min_u vv:v P\n\
    \298 i16x8.max_s vv:v P\n\
    \299 i16x8.max_u vv:v P\n\
    \29b i16x8.avgr_u vv:v P\n\
    \29c i16x8.extmul_low_i8x16_s vv:v P\n\
    \29d i16x8.extmul_high_i8x16_s vv:v P\n\
    \29e i16x8.extmul_low_i8x16_u vv:v P\n\
    \29f i16x8.extmul_high_i8x16_u vv:v P\n\
    \2a0 i32x4.abs v:v P\n\
    \2a1 i32x4.neg v:v P\n\
    \2a3 i32x4.all_true v:i P\n\
    \2a4 i32x4.bitmask v:i P\n\
    \2a7 i32x4.extend_low_i16x8_s v:v P\n\
    \2a8 i32x4.extend_high_i16x8_s v:v P\n\
    \2a9 i32x4.extend_low_i16x8_u v:v P\n\
    \2aa i32x4.extend_high_i16x8_u v:v P\n\
    \2ab i32x4.shl vi:v P\n\
    \2ac i32x4.shr_s vi:v P\n\
    \2ad i32x4.shr_u vi:v P\n\
    \2ae i32x4.add vv:v P\n\
    \2b1 i32x4.sub vv:v P\n\
    \2b5 i32x4.mul vv:v P\n\
    \2b6 i32x4.min_s vv:v P\n\
    \2b7 i32x4.min_u vv:v P\n\
    \2b8 i32x4.max_s vv:v P\n\
    \2b9 i32x4.max_u vv:v P\n\
    \2ba i32x4.dot_i16x8_s vv:v P\n\
    \2bc i32x4.extmul_low_i16x8_s vv:v P\n\
    \2bd i32x4.extmul_high_i16x8_s vv:v P\n\
    \2be i32x4.extmul_low_i16x8_u vv:v P\n\
    \2bf i32x4.extmul_high_i16x8_u vv:v P\n\
    \2c0 i64x2.abs v:v P\n\
    \2c1 i64x2.neg v:v P\n\
    \2c3 i64x2.all_true v:i P\n\
    \2c4 i64x2.bitmask v:i P\n\
    \2c7 i64x2.extend_low_i32x4_s v:v P\n\
    \2c8 i64x2.extend_high_i32x4_s v:v P\n\
    \2c9 i64x2.extend_low_i32x4_u v:v P\n\
    \2ca i64x2.extend_high_i32x4_u v:v P\n\
    \2cb i64x2.shl vi:v P\n\
    \2cc i64x2.shr_s vi:v P\n\
    \2cd i64x2.shr_u vi:v P\n\
    \2ce i64x2.add vv:v P\n\
    \2d1 i64x2.sub vv:v P\n\
    \2d5 i64x2.mul vv:v P\n\
    \2d6 i64x2.eq vv:v P\n\
    \2d7 i64x2.ne vv:v P\n\
    \2d8 i64x2.lt_s vv:v P\n\
    \2d9 i64x2.gt_s vv:v P\n\
    \2da i64x2.le_s vv:v P\n\
    \2db i64x2.ge_s vv:v P\n\
    \2dc i64x2.extmul_low_i32x4_s vv:v P\n\
    \2dd i64x2.extmul_high_i32x4_s vv:v P\n\
    \2de i64x2.extmul_low_i32x4_u vv:v P\n\
    \2df i64x2.extmul_high_i32x4_u vv:v P\n\
    \2e0 f32x4.abs v:v P\n\
    \2e1 f32x4.neg v:v P\n\
    \2e3 f32x4.sqrt v:v P\n\
    \2e4 f32x4.add vv:v P\n\
    \2e5 f32x4.sub vv:v P\n\
    \2e6 f32x4.mul vv:v P\n\
    \2e7 f32x4.div vv:v P\n\
    \2e8 f32x4.min vv:v P\n\
    \2e9 f32x4.max vv:v P\n\
    \2ea f32x4.pmin vv:v P\n\
    \2eb f32x4.pmax vv:v P\n\
    \2ec f64x2.abs v:v P\n\
    \2ed f64x2.neg v:v P\n\
    \2ef f64x2.sqrt v:v P\n\
    \2f0 f64x2.add vv:v P\n\
    \2f1 f64x2.sub vv:v P\n\
    \2f2 f64x2.mul vv:v P\n\
    \2f3 f64x2.div vv:v P\n\
    \2f4 f64x2.min vv:v P\n\
    \2f5 f64x2.max vv:v P\n\
    \2f6 f64x2.pmin vv:v P\n\
    \2f7 f64x2.pmax vv:v P\n\
    \2f8 i32x4.trunc_sat_f32x4_s v:v P\n\
    \2f9 i32x4.trunc_sat_f32x4_u v:v P\n\
    \2fa f32x4.convert_i32x4_s v:v P\n\
    \2fb f32x4.convert_i32x4_u v:v P\n\
    \2fc i32x4.trunc_sat_f64x2_s_zero v:v P\n\
    \2fd i32x4.trunc_sat_f64x2_u_zero v:v P\n\
    \2fe f64x2.convert_low_i32x4_s v:v P\n\
    \2ff f64x2.convert_low_i32x4_u v:v P\n\
    \300 i8x16.relaxed_swizzle vv:v P\n\
    \301 i32x4.relaxed_trunc_f32x4_s v:v P\n\
    \302 i32x4.relaxed_trunc_f32x4_u v:v P\n\
    \303 i32x4.relaxed_trunc_f64x2_s_zero v:v P\n\
    \304 i32x4.relaxed_trunc_f64x2_u_zero v:v P\n\
    \305 f32x4.relaxed_madd vvv:v P\n\
    \306 f32x4.relaxed_nmadd vvv:v P\n\
    \307 f64x2.relaxed_madd vvv:v P\n\
    \308 f64x2.relaxed_nmadd vvv:v P\n\
    \309 i8x16.relaxed_laneselect vvv:v P\n\
    \30a i16x8.relaxed_laneselect vvv:v P\n\
    \30b i32x4.relaxed_laneselect vvv:v P\n\
    \30c i64x2.relaxed_laneselect vvv:v P\n\
    \30d f32x4.relaxed_min vv:v P\n\
    \30e f32x4.relaxed_max vv:v P\n\
    \30f f64x2.relaxed_min vv:v P\n\
    \310 f64x2.relaxed_max vv:v P\n\
    \311 i16x8.relaxed_q15mulr_s vv:v P\n\
    \312 i16x8.relaxed_dot_i8x16_i7x16_s vv:v P\n\
    \313 i32x4.relaxed_dot_i8x16_i7x16_add_s vvv:v P"
