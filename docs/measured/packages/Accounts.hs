module Main (main) where

import qualified Data.OFX as O
import Text.Parsec (parse)

-- | What a bank sends of an account.
statement :: Int -> String
statement n =
  "OFXHEADER:100\nDATA:OFXSGML\nVERSION:102\nSECURITY:NONE\nENCODING:USASCII\nCHARSET:1252\nCOMPRESSION:NONE\nOLDFILEUID:NONE\nNEWFILEUID:NONE\n\n<OFX>\n<SIGNONMSGSRSV1>\n<SONRS>\n<FI>\n<ORG>A bank\n</FI>\n</SONRS>\n</SIGNONMSGSRSV1>\n<BANKMSGSRSV1>\n<STMTTRNRS>\n<STMTRS>\n<BANKACCTFROM>\n<ACCTID>0012345\n</BANKACCTFROM>\n<BANKTRANLIST>\n"
    ++ concatMap one [1 .. n]
    ++ "</BANKTRANLIST>\n</STMTRS>\n</STMTTRNRS>\n</BANKMSGSRSV1>\n</OFX>\n"
  where
    one i =
      "<STMTTRN>\n<TRNTYPE>" ++ (if even i then "DEBIT" else "CREDIT") ++ "\n<DTPOSTED>2023" ++ two (1 + i `mod` 12) ++ two (1 + i `mod` 28) ++ "120000.000[-5:EST]\n<TRNAMT>-" ++ show (i `mod` 900) ++ ".50\n<FITID>" ++ show (100000 + i) ++ "\n<NAME>Shop &amp; sons " ++ show (i `mod` 40) ++ "\n<MEMO>what was bought there on that day\n</STMTTRN>\n"
    two k = if k < 10 then '0' : show k else show k

main :: IO ()
main = case parse O.ofxFile "bank" (statement 2500) of
  Left e -> print e
  Right file -> case O.transactions file of
    Left e -> putStrLn e
    Right ts -> do
      print (length ts, O.accountNumber file)
      print (sum (map (length . O.txTRNAMT) ts), length (filter ((== O.TDEBIT) . O.txTRNTYPE) ts))
      print (O.txDTPOSTED (last ts))
