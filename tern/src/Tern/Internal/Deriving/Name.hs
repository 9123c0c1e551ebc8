{-# LANGUAGE DataKinds #-}
{-# LANGUAGE PolyKinds #-}
{-# LANGUAGE TypeFamilies #-}
{-# LANGUAGE UndecidableInstances #-}

-- | How names are changed while a program is compiled.
--
-- The idea: a modifier is a type without values, and 'Modified' says what it makes of a
-- name. The family is open, so that a program may have modifiers of its own.
module Tern.Internal.Deriving.Name
  ( Modified,
    CamelToSnake,
    CamelToKebab,
    CamelTo,
    LowerFirst,
    UpperFirst,
    StripPrefix,
    StripSuffix,
    AddPrefix,
    Rename,
  )
where

import GHC.TypeLits

-- $setup
-- >>> :set -XDataKinds
-- >>> import Data.Proxy
-- >>> import GHC.TypeLits

-- | A name after a modifier, or after each of a list of them, the first one first.
--
-- >>> symbolVal (Proxy @(Modified '[StripPrefix "bird", CamelToSnake] "birdWingSpan"))
-- "wing_span"
type family Modified (modifier :: k) (name :: Symbol) :: Symbol

type instance Modified ('[] :: [k]) name = name

type instance Modified (first ': rest) name = Modified rest (Modified first name)

type instance Modified '(first, second) name = Modified second (Modified first name)

-- * Words

-- | Words in lower case with underscores between them, as 'Tern.Derive.camelTo2' has them.
-- It looks at ASCII letters alone.
--
-- >>> symbolVal (Proxy @(Modified CamelToSnake "parseHTTPHeader"))
-- "parse_http_header"
data CamelToSnake

type instance Modified CamelToSnake name = Words "_" 'Start (UnconsSymbol name)

-- | The same with hyphens.
data CamelToKebab

type instance Modified CamelToKebab name = Words "-" 'Start (UnconsSymbol name)

-- | The same with any separator.
data CamelTo (separator :: Symbol)

type instance Modified (CamelTo separator) name = Words separator 'Start (UnconsSymbol name)

-- | What a character is.
data Letter = Start | Lower | Upper | Other

-- A capital letter begins a word after a small one, and where a small one follows it.
type family
  Words
    (separator :: Symbol)
    (before :: Letter)
    ( rest ::
        Maybe (Char, Symbol)
    ) ::
    Symbol
  where
  Words separator before 'Nothing = ""
  Words separator before ('Just '(c, rest)) =
    Letters separator before c (LetterOf c) (UnconsSymbol rest)

type family
  Letters
    (separator :: Symbol)
    (before :: Letter)
    (c :: Char)
    (letter :: Letter)
    ( rest ::
        Maybe (Char, Symbol)
    ) ::
    Symbol
  where
  Letters separator before c 'Upper rest =
    AppendSymbol
      (Between separator before rest)
      ( ConsSymbol
          (NatToChar (CharToNat c + 32))
          (Words separator 'Upper rest)
      )
  Letters separator before c letter rest = ConsSymbol c (Words separator letter rest)

type family
  Between
    (separator :: Symbol)
    (before :: Letter)
    ( rest ::
        Maybe (Char, Symbol)
    ) ::
    Symbol
  where
  Between separator 'Start rest = ""
  Between separator 'Lower rest = separator
  Between separator before 'Nothing = ""
  Between separator before ('Just '(c, rest)) = BeforeLower separator (LetterOf c)

type family BeforeLower (separator :: Symbol) (letter :: Letter) :: Symbol where
  BeforeLower separator 'Lower = separator
  BeforeLower separator letter = ""

type LetterOf c = FromLower (CmpChar c 'a') c

type family FromLower (order :: Ordering) (c :: Char) :: Letter where
  FromLower 'LT c = Capital (CmpChar c 'A') (CmpChar c 'Z')
  FromLower order c = Small (CmpChar c 'z')

type family Small (order :: Ordering) :: Letter where
  Small 'GT = 'Other
  Small order = 'Lower

type family Capital (first :: Ordering) (last :: Ordering) :: Letter where
  Capital 'LT last = 'Other
  Capital first 'GT = 'Other
  Capital first last = 'Upper

-- | The first letter is a small one.
data LowerFirst

type instance Modified LowerFirst name = First 'Upper (UnconsSymbol name)

-- | The first letter is a capital one.
data UpperFirst

type instance Modified UpperFirst name = First 'Lower (UnconsSymbol name)

-- The first letter, where it is of a kind, becomes one of the other.
type family First (letter :: Letter) (name :: Maybe (Char, Symbol)) :: Symbol where
  First letter 'Nothing = ""
  First letter ('Just '(c, rest)) = ConsSymbol (Turned letter (LetterOf c) c) rest

type family Turned (wanted :: Letter) (letter :: Letter) (c :: Char) :: Char where
  Turned 'Upper 'Upper c = NatToChar (CharToNat c + 32)
  Turned 'Lower 'Lower c = NatToChar (CharToNat c - 32)
  Turned wanted letter c = c

-- * Pieces

-- | Without what it begins with; a name that begins otherwise stays as it is.
data StripPrefix (prefix :: Symbol)

type instance Modified (StripPrefix prefix) name = Stripped (UnconsSymbol prefix) name name

type family
  Stripped
    ( prefix ::
        Maybe (Char, Symbol)
    )
    (rest :: Symbol)
    (whole :: Symbol) ::
    Symbol
  where
  Stripped 'Nothing rest whole = rest
  Stripped ('Just '(c, prefix)) rest whole =
    Agreeing c (UnconsSymbol prefix) (UnconsSymbol rest) whole

type family
  Agreeing
    (c :: Char)
    ( prefix ::
        Maybe (Char, Symbol)
    )
    (rest :: Maybe (Char, Symbol))
    (whole :: Symbol) ::
    Symbol
  where
  Agreeing c prefix ('Just '(c, rest)) whole = Stripped prefix rest whole
  Agreeing c prefix rest whole = whole

-- | Without what it ends with.
data StripSuffix (suffix :: Symbol)

type instance Modified (StripSuffix suffix) name = Unended suffix name (UnconsSymbol name)

type family
  Unended
    (suffix :: Symbol)
    (rest :: Symbol)
    ( name ::
        Maybe (Char, Symbol)
    ) ::
    Symbol
  where
  Unended rest rest name = ""
  Unended suffix rest 'Nothing = ""
  Unended suffix rest ('Just '(c, more)) = ConsSymbol c (Unended suffix more (UnconsSymbol more))

-- | With something before it.
data AddPrefix (prefix :: Symbol)

type instance Modified (AddPrefix prefix) name = AppendSymbol prefix name

-- | Another name for one name.
data Rename (from :: Symbol) (to :: Symbol)

type instance Modified (Rename from to) name = Renamed from to name

type family Renamed (from :: Symbol) (to :: Symbol) (name :: Symbol) :: Symbol where
  Renamed name to name = to
  Renamed from to name = name
