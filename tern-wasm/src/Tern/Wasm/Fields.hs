-- | Where the fields of structures and arrays are.
--
-- The idea: an instruction names a field by its number among up to ten thousand, so a
-- type's fields are put in rows once, and each is found without going over those before
-- it.
--
-- Start at 'fieldsOf'.
module Tern.Wasm.Fields
  ( Fields (..),
    fieldsOf,
    fieldAt,
    placeOf,
    fieldBytes,
  )
where

import Data.Maybe (fromMaybe)
import Data.Vector (Vector)
import Data.Vector qualified as V
import Data.Vector.Unboxed qualified as U
import Tern.Wasm.Type
  ( CompType (..),
    FieldType (..),
    Mut (..),
    Storage (..),
    ValType (..),
    slotCount,
    unpacked,
  )

-- | The fields of a type (an array's element counts as one, and a function has none),
-- and where each begins after the first, in bytes: slots as in a frame. Where the last
-- one ends stands after them.
data Fields = Fields {fieldTypes :: !(Vector FieldType), fieldPlaces :: !(U.Vector Int)}

-- | Linear in the number of fields.
fieldsOf :: CompType -> Fields
fieldsOf comp = Fields types (U.scanl' (+) 0 (U.convert (V.map bytes types)))
  where
    types = case comp of
      CompFunc _ -> V.empty
      CompStruct fs -> V.fromList fs
      CompArray f -> V.singleton f
    bytes f = 8 * slotCount (unpacked f)

-- | A field by its number. Validation has seen to it that there is one.
fieldAt :: Fields -> Int -> FieldType
fieldAt fs k = fromMaybe (FieldType Const (Whole I64)) (fieldTypes fs V.!? k)

-- | Where a field begins.
placeOf :: Fields -> Int -> Int
placeOf fs k = fromMaybe 0 (fieldPlaces fs U.!? k)

-- | The bytes of all fields.
fieldBytes :: Fields -> Int
fieldBytes fs = placeOf fs (V.length (fieldTypes fs))
