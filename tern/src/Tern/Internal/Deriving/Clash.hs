{-# LANGUAGE DataKinds #-}
{-# LANGUAGE PolyKinds #-}
{-# LANGUAGE TypeFamilies #-}
{-# LANGUAGE UndecidableInstances #-}

-- | What is wrong with options of deriving: names that a document could not tell apart,
-- fields that the type does not have, what is no option.
--
-- The idea: a representation is a balanced tree, so that the names of a record are sorted by
-- merging those of its halves; equal ones are neighbours then. What is found is an error of
-- the compiler that says which they are.
module Tern.Internal.Deriving.Clash
  ( Sound,
  )
where

import Data.Kind (Constraint, Type)
import GHC.Generics (C1, D1, Generic (..), Meta (..), Rec0, S1, (:*:), (:+:))
import GHC.TypeLits (CmpSymbol, ErrorMessage (..), Symbol, TypeError)
import Tern.Internal.Deriving.Options
  ( AliasesOf,
    ConstructorTagModifier,
    Encoding (..),
    EncodingOf,
    FieldAlias,
    FieldDefault,
    FieldFlattened,
    FieldIgnored,
    FieldLabelModifier,
    Handling (..),
    Has,
    LabelOf,
    NoAllNullaryToStringTag,
    OmitNothingFields,
    RejectUnknownFields,
    Special,
    SumObjectWithSingleField,
    SumTaggedObject,
    SumTwoElemArray,
    TagOf,
    TagSingleConstructors,
    UnwrapUnaryRecords,
  )

-- | The options say something that can be done for a type of this representation.
type family Sound (options :: [Type]) (rep :: Type -> Type) :: Constraint where
  Sound options (D1 ('MetaData type_ m p new) f) =
    ( Known type_ options f,
      Alike type_ "constructors" (TagsOf (RenamesTags options) options f),
      Records type_ (BesideTag (Has TagSingleConstructors options) (EncodingOf options) f) options f
    )

-- * Names

-- | A name in documents, and whose it is in the program.
type Label = (Symbol, Symbol)

-- | The names of constructors, sorted.
type family TagsOf (renames :: Bool) (options :: [Type]) (f :: Type -> Type) :: [Label] where
  TagsOf 'False options f = '[]
  TagsOf renames options (f :+: g) = Merged (TagsOf renames options f) (TagsOf renames options g)
  TagsOf renames options (C1 ('MetaCons n x r) f) = '[ '(TagOf options n, n)]

type family RenamesTags (options :: [Type]) :: Bool where
  RenamesTags '[] = 'False
  RenamesTags (ConstructorTagModifier modifier ': options) = 'True
  RenamesTags (option ': options) = RenamesTags options

-- | The names that a tag has beside a record's fields.
type family BesideTag (tagged :: Bool) (encoding :: Encoding) (f :: Type -> Type) :: [Label] where
  BesideTag 'True ('TaggedObject tag contents) f = '[ '(tag, "the tag")]
  BesideTag tagged ('TaggedObject tag contents) (f :+: g) = '[ '(tag, "the tag")]
  BesideTag tagged encoding f = '[]

type family Records (type_ :: Symbol) (beside :: [Label]) (options :: [Type]) (f :: Type -> Type) :: Constraint where
  Records type_ beside options (f :+: g) =
    (Records type_ beside options f, Records type_ beside options g)
  Records type_ beside options (C1 ('MetaCons n x 'True) f) = RecordOf n beside (LabelsOf options f)
  Records type_ beside options f = ()

type family RecordOf (n :: Symbol) (beside :: [Label]) (labels :: [Label]) :: Constraint where
  RecordOf n beside '[] = TypeError ('Text n ':<>: 'Text " has no field that a document could have")
  RecordOf n beside labels = Alike n "fields" (Merged beside labels)

-- | The names of fields, sorted.
type family LabelsOf (options :: [Type]) (f :: Type -> Type) :: [Label] where
  LabelsOf options (f :*: g) = Merged (LabelsOf options f) (LabelsOf options g)
  LabelsOf options (S1 ('MetaSel ('Just n) u v w) (Rec0 a)) =
    LabelsBy (Special options n) options n a
  LabelsOf options f = '[]

type family
  LabelsBy
    ( special ::
        Maybe Handling
    )
    (options :: [Type])
    (n :: Symbol)
    (a :: Type) ::
    [Label]
  where
  LabelsBy ('Just ('Flat inner)) options n a = LabelsIn inner (Rep a)
  LabelsBy ('Just ('Ignored value)) options n a = '[]
  LabelsBy special options n a = Insert n (LabelOf options n) (AliasesOf options n)

type family LabelsIn (options :: [Type]) (rep :: Type -> Type) :: [Label] where
  LabelsIn options (D1 m (C1 c f)) = LabelsOf options f

-- | A field's name and its other names.
type family Insert (n :: Symbol) (label :: Symbol) (aliases :: [Symbol]) :: [Label] where
  Insert n label '[] = '[ '(label, n)]
  Insert n label (other ': aliases) = Merged '[ '(other, n)] (Insert n label aliases)

type family Merged (xs :: [Label]) (ys :: [Label]) :: [Label] where
  Merged '[] ys = ys
  Merged xs '[] = xs
  Merged ('(x, n) ': xs) ('(y, o) ': ys) = MergedBy (CmpSymbol x y) '(x, n) xs '(y, o) ys

type family MergedBy (order :: Ordering) (x :: Label) (xs :: [Label]) (y :: Label) (ys :: [Label]) :: [Label] where
  MergedBy 'GT x xs y ys = y ': Merged (x ': xs) ys
  MergedBy order x xs y ys = x ': Merged xs (y ': ys)

type family Alike (owner :: Symbol) (what :: Symbol) (labels :: [Label]) :: Constraint where
  Alike owner what ('(x, n) ': '(x, o) ': labels) =
    TypeError
      ( 'Text
          owner
          ':<>: 'Text " has two "
          ':<>: 'Text what
          ':<>: 'Text " that are called "
          ':<>: 'ShowType x
          ':<>: 'Text " in documents: "
          ':<>: 'Text n
          ':<>: 'Text " and "
          ':<>: 'Text o
      )
  Alike owner what (label ': labels) = Alike owner what labels
  Alike owner what '[] = ()

-- * Options

-- | Each option is one, and the fields that it names are the type's.
type family Known (type_ :: Symbol) (options :: [Type]) (f :: Type -> Type) :: Constraint where
  Known type_ '[] f = ()
  Known type_ (FieldAlias n names ': options) f =
    (KnownField type_ "FieldAlias" n (HasField n f), Known type_ options f)
  Known type_ (FieldDefault n value ': options) f =
    ( KnownField
        type_
        "FieldDefault"
        n
        (HasField n f),
      Once n (Special options n),
      Known type_ options f
    )
  Known type_ (FieldFlattened n inner ': options) f =
    ( KnownField
        type_
        "FieldFlattened"
        n
        (HasField n f),
      Once n (Special options n),
      Known type_ options f
    )
  Known type_ (FieldIgnored n value ': options) f =
    ( KnownField
        type_
        "FieldIgnored"
        n
        (HasField n f),
      Once n (Special options n),
      Known type_ options f
    )
  Known type_ (FieldLabelModifier modifier ': options) f = Known type_ options f
  Known type_ (ConstructorTagModifier modifier ': options) f = Known type_ options f
  Known type_ (OmitNothingFields ': options) f = Known type_ options f
  Known type_ (RejectUnknownFields ': options) f = Known type_ options f
  Known type_ (UnwrapUnaryRecords ': options) f = Known type_ options f
  Known type_ (TagSingleConstructors ': options) f = Known type_ options f
  Known type_ (NoAllNullaryToStringTag ': options) f = Known type_ options f
  Known type_ (SumTaggedObject tag tag ': options) f =
    TypeError
      ( 'Text
          type_
          ':<>: 'Text " has the tag and the contents under one name, "
          ':<>: 'ShowType tag
      )
  Known type_ (SumTaggedObject tag contents ': options) f = Known type_ options f
  Known type_ (SumObjectWithSingleField ': options) f = Known type_ options f
  Known type_ (SumTwoElemArray ': options) f = Known type_ options f
  Known type_ (option ': options) f =
    TypeError ('Text "WithOptions: this is no option of deriving: " ':<>: 'ShowType option)

type family KnownField (type_ :: Symbol) (option :: Symbol) (n :: Symbol) (has :: Bool) :: Constraint where
  KnownField type_ option n 'True = ()
  KnownField type_ option n 'False =
    TypeError
      ( 'Text
          option
          ':<>: 'Text ": "
          ':<>: 'Text type_
          ':<>: 'Text " has no field that is called "
          ':<>: 'ShowType n
      )

-- | What becomes of a field is said once.
type family Once (n :: Symbol) (again :: Maybe Handling) :: Constraint where
  Once n 'Nothing = ()
  Once n again =
    TypeError ('Text "WithOptions: two options say what becomes of the field " ':<>: 'ShowType n)

-- | Has a constructor a field of this name?
type family HasField (n :: Symbol) (f :: Type -> Type) :: Bool where
  HasField n (f :+: g) = Or (HasField n f) (HasField n g)
  HasField n (f :*: g) = Or (HasField n f) (HasField n g)
  HasField n (C1 c f) = HasField n f
  HasField n (S1 ('MetaSel ('Just n) u v w) a) = 'True
  HasField n f = 'False

type family Or (a :: Bool) (b :: Bool) :: Bool where
  Or 'True b = 'True
  Or a b = b
