{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE TemplateHaskell #-}
{-# LANGUAGE TypeOperators #-}

module Main (main) where

import Control.Category (id, (.))
import Data.Either (rights)
import qualified Data.Text as T
import Text.Boomerang
import Text.Boomerang.TH (makeBoomerangs)
import Text.Boomerang.Texts
import Prelude hiding (id, (.))

-- | Where a visitor of a site can be.
data Place
  = Home
  | Article Int T.Text
  | Profile T.Text
  | Archive Int Int
  deriving (Eq, Show)

makeBoomerangs ''Place

sitemap :: Boomerang TextsError [T.Text] r (Place :- r)
sitemap =
  rHome
    <> rArticle . lit "article" </> int . lit "-" . rText1 (satisfy (/= '/'))
    <> rProfile . lit "people" </> anyText
    <> rArchive . lit "archive" </> int </> int

places :: Int -> [Place]
places n = concatMap place [1 .. n]
  where
    place i =
      [ Home,
        Article i (T.pack ("how-terns-find-their-way-home-in-year-" ++ show i)),
        Profile (T.pack ("observer" ++ show i)),
        Archive (1900 + i `mod` 120) (i `mod` 12)
      ]

main :: IO ()
main = do
  let all' = places 700
      paths = [maybe [] id' (unparseTexts sitemap p) | p <- all']
      back = rights (map (parseTexts sitemap) paths)
      id' p = p
  print (length back, back == all')
  print (sum (map (sum . map T.length) paths))
  print (length [() | Left _ <- map (parseTexts sitemap . drop 1) paths])
