{-# LANGUAGE OverloadedStrings #-}

-- | Documents for tests: from text, and any.
module Tern.Values.Documents
  ( json,
    Document (..),
    allPlaces,
    normal,
    deep,
  )
where

import Data.ByteString (ByteString)
import Data.ByteString.Char8 qualified as BC
import Data.Map.Strict qualified as Map
import Data.Text (Text)
import Data.Text qualified as T
import Data.Vector qualified as V
import Tern.Error (renderError)
import Tern.Json (decodeJson)
import Tern.Value (Value (..), byName, members, numberFromInteger, object)
import Test.QuickCheck

-- | The document that a text is; one that says so where it is none.
json :: ByteString -> Value
json bytes =
  either
    ( \e ->
        String ("no document: " <> renderError bytes e <> " in " <> T.pack (BC.unpack bytes))
    )
    id
    (decodeJson bytes)

-- | Few names and few scalars, so that equal parts and repeated names are common.
newtype Document = Document Value
  deriving stock (Show)

instance Arbitrary Document where
  arbitrary = Document <$> sized (document . min 40)
  shrink (Document value) =
    map Document $ case value of
      Array vs ->
        V.toList vs
          <> [ Array (V.fromList smaller)
               | smaller <-
                   shrinkList (\v -> [v' | Document v' <- shrink (Document v)]) (V.toList vs)
             ]
      Object o ->
        map snd (members o)
          <> [ Object (object smaller)
               | smaller <-
                   shrinkList
                     ( \(n, v) ->
                         [(n, v') | Document v' <- shrink (Document v)]
                     )
                     (members o)
             ]
      Null -> []
      _ -> [Null]

document :: Int -> Gen Value
document size
  | size <= 1 = scalar
  | otherwise =
      frequency
        [ (1, scalar),
          (3, Array . V.fromList <$> parts),
          (3, Object . object <$> (parts >>= traverse (\v -> (,) <$> name <*> pure v)))
        ]
  where
    parts = do
      n <- choose (0, 5)
      vectorOf n (document (size `div` (n + 1)))
    scalar =
      elements
        ( [Null, Bool True, Bool False, String "a", String "\"\\~/\n\x1f426", String ""]
            <> map (Number . numberFromInteger) [0 .. 3]
        )
    name :: Gen Text
    name = elements ["", "a", "b", "c/d", "~", "0", "1"]

-- | The tokens to every value of a document.
allPlaces :: Value -> [[Text]]
allPlaces value =
  [] : case value of
    Array vs ->
      concat [map (T.pack (show i) :) (allPlaces v) | (i, v) <- zip [0 :: Int ..] (V.toList vs)]
    Object o -> concat [map (n :) (allPlaces v) | (n, v) <- Map.toList (byName o)]
    _ -> []

-- | Each name once, in order.
normal :: Value -> Value
normal = \case
  Array vs -> Array (V.map normal vs)
  Object o -> Object (object (Map.toList (Map.map normal (byName o))))
  value -> value

-- | Arrays in each other.
deep :: Int -> Value -> Value
deep n value = iterate (Array . V.singleton) value !! n
