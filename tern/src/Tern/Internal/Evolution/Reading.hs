-- | Reading a writer's documents as a type of the reader's.
--
-- The idea: the writer's bytes are made into the reader's, and then read as those of
-- any document. So a type's reader knows nothing of what its older versions were, and
-- where nothing has changed in the bytes nothing is done at all.
module Tern.Internal.Evolution.Reading
  ( Reading,
    readingOf,
    sameBytes,
    refusedWhereMet,
    writerLayout,
    translate,
    decodeThrough,
    batchThrough,
  )
where

import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.Maybe (isNothing)
import Tern.Error (Error (..), Reason (..))
import Tern.Internal.Evolution.Changes (Evolution)
import Tern.Internal.Evolution.Code (Code, codeOf)
import Tern.Internal.Evolution.Mismatch (Condition, Mismatch)
import Tern.Internal.Evolution.Plan (identical)
import Tern.Internal.Evolution.Resolve (Resolved (..), resolve)
import Tern.Internal.Evolution.Run (origin, translated)
import Tern.Internal.Native.Layout (Layout)
import Tern.Internal.Native.Path (pathTo)
import Tern.Internal.Native.Shaped (layoutOf)
import Tern.Limits (Limits (..))
import Tern.Shape (Shape)

-- | How a writer's documents are read.
data Reading = Reading
  { -- | Nothing, where the bytes are the same.
    program :: !(Maybe Code),
    -- | The writer's.
    writerLayout :: Layout,
    -- | What documents may hold that is refused where it is met.
    refusedWhereMet :: [Condition]
  }

-- | How documents of the first shape are read as the second's, which the changes are
-- of; or everything that does not fit.
readingOf :: Evolution -> Shape -> Shape -> Either [Mismatch] Reading
readingOf evolution theirs ours = do
  resolved <- resolve evolution theirs ours
  pure
    ( Reading
        ( if identical (plan resolved)
            then Nothing
            else Just (codeOf (plan resolved))
        )
        (layoutOf theirs)
        (conditions resolved)
    )

-- | Are the reader's bytes the writer's?
sameBytes :: Reading -> Bool
sameBytes = isNothing . program

-- | A whole document of the writer's as one of the reader's. What the two have in
-- common is not looked at: the result need not be a document where the input was none.
translate :: Reading -> Limits -> ByteString -> Either Error ByteString
translate reading limits input = case program reading of
  Nothing -> Right input
  Just code -> case translated code 1 (budgetOf limits input) (B.length input) limits input of
    Left (offset, reason) -> failed offset reason
    Right (n, bytes)
      | n < B.length input -> failed n TrailingInput
      | otherwise -> Right bytes
  where
    failed offset reason = Left (Error offset (pathTo (writerLayout reading) input offset) reason)

-- | The value of a whole document, by what decodes the reader's. An error speaks of the
-- writer's bytes, and its path is the writer's.
decodeThrough ::
  Reading -> (Limits -> ByteString -> Either Error a) -> Limits -> ByteString -> Either Error a
decodeThrough reading decode limits input = case program reading of
  Nothing -> decode limits input
  Just code -> do
    bytes <- translate reading limits input
    case decode limits {maxBytes = maxBound} bytes of
      Right a -> Right a
      Left (Error offset _ reason) ->
        let offset' = origin code 1 (budgetOf limits input) (B.length input) limits input offset
         in Left (Error offset' (pathTo (writerLayout reading) input offset') reason)

-- | The writer's @many@ values at the head of @input@, by @run@, which reads as many of the
-- reader's: how many bytes the writer's have, and the values. At most @budget@ bytes may
-- be given for what the writer does not have.
batchThrough ::
  Reading ->
  Int ->
  (Int -> Limits -> ByteString -> Either (Int, Reason) (Int, a)) ->
  Int ->
  Limits ->
  ByteString ->
  Either (Int, Reason) (Int, a)
batchThrough reading budget run many limits input = case program reading of
  Nothing -> run many limits input
  Just code -> do
    (n, bytes) <- translated code many budget room limits input
    case run many limits {maxBytes = maxBound} bytes of
      Right (_, as) -> Right (n, as)
      Left (offset, reason) -> Left (origin code many budget room limits input offset, reason)
  where
    -- What is read at once may be little of what is there, and is read again where an
    -- element is refused. Proof: "many that are refused cost in proportion to their number".
    room = min (32 * many) (B.length input)

-- | How many bytes may be given: no more than a document may have.
budgetOf :: Limits -> ByteString -> Int
budgetOf limits input = max 0 (maxBytes limits - B.length input)
