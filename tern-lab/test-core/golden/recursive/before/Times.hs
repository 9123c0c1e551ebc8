module Times (times) where

times :: Int -> (Int -> Int) -> Int -> Int
times 0 _ x = x
times n f x = times (n - 1) f (f x)
