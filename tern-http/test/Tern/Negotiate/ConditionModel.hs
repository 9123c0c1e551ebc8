-- | Conditional requests once more, slowly, from the text of RFC 9110, section 13: what
-- the fast evaluation is held against.
--
-- It goes through the steps of section 13.2.2 as they are numbered there. Tags are read
-- by a parser that tries every way, and dates are looked up among those that a test drew.
module Tern.Negotiate.ConditionModel
  ( Resource (..),
    Verdict (..),
    verdict,
  )
where

import Data.Char (ord)
import Data.List (nub)
import Data.Maybe (isJust, isNothing)
import Text.ParserCombinators.ReadP (between, char, munch, option, readP_to_S, string)

-- | The tags of a resource, weak or not, and its date.
data Resource = Resource {tags :: [(Bool, String)], date :: Maybe Int}
  deriving stock (Show)

data Verdict = GoOn | Is304 | Is412
  deriving stock (Eq, Show)

-- | By whether the method is GET or HEAD, the dates that texts are, the four headers and
-- the resource, if there is one.
verdict :: Bool -> [(String, Int)] -> (String -> Maybe String) -> Maybe Resource -> Verdict
verdict isGet dates header resource = step1
  where
    -- "When recipient is the origin server and If-Match is present, evaluate it."
    step1 = case header "If-Match" of
      Just value
        | ifMatch value -> step3
        | otherwise -> Is412
      Nothing -> step2
    -- "If-Match is not present, and If-Unmodified-Since is present."
    step2 = case (header "If-Unmodified-Since" >>= (`lookup` dates), resource >>= date) of
      (Just limit, Just changed)
        | changed <= limit -> step3
        | otherwise -> Is412
      _ -> step3
    step3 = case header "If-None-Match" of
      Just value
        | ifNoneMatch value -> GoOn
        | isGet -> Is304
        | otherwise -> Is412
      Nothing -> step4
    -- "When the method is GET or HEAD, If-None-Match is not present, and
    -- If-Modified-Since is present."
    step4
      | isGet,
        Just limit <- header "If-Modified-Since" >>= (`lookup` dates),
        Just changed <- resource >>= date =
          if changed > limit then GoOn else Is304
      | otherwise = GoOn
    -- 13.1.1, with the strong comparison of 8.8.3.2.
    ifMatch value = case listed value of
      Nothing -> isJust resource
      Just wanted ->
        or [a == b && not (fst a) && not (fst b) | a <- wanted, b <- maybe [] tags resource]
    -- 13.1.2, with the weak one; and nothing that can be understood guards a change.
    ifNoneMatch value = case listed value of
      Nothing -> isNothing resource
      Just [] -> isGet
      Just unwanted -> not (or [snd a == snd b | a <- unwanted, b <- maybe [] tags resource])

-- | The tags of a list, or nothing for a star. What is no tag is left out.
listed :: String -> Maybe [(Bool, String)]
listed value
  | trim value == "*" = Nothing
  | otherwise = Just (concatMap tag (cut value))
  where
    trim = f . f where f = reverse . dropWhile (`elem` " \t")
    tag text = case nub [t | (t, "") <- readP_to_S entityTag (trim text)] of
      [t] -> [t]
      _ -> []
    entityTag =
      (,) <$> option False (True <$ string "W/") <*> between (char '"') (char '"') (munch etagc)
    etagc c = c == '!' || (ord c >= 0x23 && ord c <= 0x7e) || ord c >= 0x80

-- | At the commas that are not in a tag. A tag begins an element, maybe after @W/@.
cut :: String -> [String]
cut text = go "" text
  where
    go before = \case
      "" -> [reverse before]
      ',' : rest -> reverse before : go "" rest
      '"' : rest
        | begins (reverse before),
          (inside, '"' : more) <- break (== '"') rest ->
            go ('"' : reverse inside <> ('"' : before)) more
      c : rest -> go (c : before) rest
    begins start = null start || last start `elem` " \t/"
