-- | A folder of mails: each read with its header, and what was said counted.
module Main (main) where

import Text.Parsec (parse)
import Text.Parsec.Rfc2822

mail :: Int -> String
mail n =
  concatMap
    (++ "\r\n")
    [ "Return-Path: <keeper" ++ show n ++ "@lights.example.org>",
      "Received: from coast.example.net (coast.example.net [192.0.2.7]) by rock.example.org with ESMTP id x" ++ show n ++ "; Fri, 21 Nov 1997 09:55:06 -0600",
      "From: \"The Keeper (north)\" <keeper" ++ show n ++ "@lights.example.org>",
      "To: Mary Smith <mary@example.net>, jdoe@example.org, \"Who?\" <one@y.test>",
      "Cc: <boss@nil.test>, \"Giant; \\\"Big\\\" Box\" <sysservices@example.net>",
      "Date: Fri, 21 Nov 1997 09:" ++ show (10 + n `mod` 50) ++ ":06 -0600",
      "Message-ID: <" ++ show n ++ "@local.machine.example>",
      "In-Reply-To: <3456@example.net>",
      "References: <1234@local.machine.example> <3456@example.net>",
      "Subject: Re: the lamp of the " ++ show n ++ "th night, and",
      "  what was seen of the weather",
      "Keywords: lamp, night, weather",
      "X-Mailer: a program, version " ++ show n,
      "",
      "The lamp burned all night."
    ]

main :: IO ()
main = do
  let read' n = parse message "" (mail n)
      messages = map read' [1 .. 200]
  print (length [() | Right _ <- messages])
  print (sum [length fs | Right (Message fs _) <- messages])
  print (length [() | Right (Message fs _) <- messages, OptionalField _ _ <- fs])
  print (sum [length (show f) | Right (Message fs _) <- messages, f <- fs])
