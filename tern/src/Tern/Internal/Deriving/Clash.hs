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
import Data.Text qualified as Text
import GHC.Generics (C1, D1, Generic (..), Meta (..), Rec0, S1, U1, (:*:), (:+:))
import GHC.TypeLits (CmpSymbol, ErrorMessage (..), Symbol)
import Tern.Internal.Deriving.Options
  ( AliasesOf,
    ConstructorTagModifier,
    Encoding (..),
    EncodingOf,
    FieldAlias,
    FieldComputed,
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
    SumUntaggedValue,
    TagOf,
    TagSingleConstructors,
    UnwrapUnaryRecords,
  )
import Tern.Internal.Refused (Refused)

-- | The options say something that can be done for a type of this representation.
type family Sound (options :: [Type]) (rep :: Type -> Type) :: Constraint where
  Sound options (D1 ('MetaData type_ m p new) f) =
    ( Known type_ options f,
      Alike type_ "constructors" (TagsOf (RenamesTags options) options f),
      ReadEach (EncodingOf options) options (ConstructorsOf f '[]),
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

type family
  Records
    (type_ :: Symbol)
    (beside :: [Label])
    (options :: [Type])
    (f :: Type -> Type) ::
    Constraint
  where
  Records type_ beside options (f :+: g) =
    (Records type_ beside options f, Records type_ beside options g)
  Records type_ beside options (C1 ('MetaCons n x 'True) f) =
    RecordOf n (ComputedIn options beside) (LabelsOf options f)
  Records type_ beside options f = ()

type family RecordOf (n :: Symbol) (beside :: [Label]) (labels :: [Label]) :: Constraint where
  RecordOf n beside '[] = Refused ('Text n ':<>: 'Text " has no field that a document could have")
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
  LabelsIn options (D1 m (C1 c f)) = Merged (ComputedIn options '[]) (LabelsOf options f)

-- | The names of what is computed, and others.
type family ComputedIn (options :: [Type]) (others :: [Label]) :: [Label] where
  ComputedIn '[] others = others
  ComputedIn (FieldComputed n function ': options) others =
    Merged '[ '(n, "what is computed")] (ComputedIn options others)
  ComputedIn (option ': options) others = ComputedIn options others

-- | A field's name and its other names.
type family Insert (n :: Symbol) (label :: Symbol) (aliases :: [Symbol]) :: [Label] where
  Insert n label '[] = '[ '(label, n)]
  Insert n label (other ': aliases) = Merged '[ '(other, n)] (Insert n label aliases)

type family Merged (xs :: [Label]) (ys :: [Label]) :: [Label] where
  Merged '[] ys = ys
  Merged xs '[] = xs
  Merged ('(x, n) ': xs) ('(y, o) ': ys) = MergedBy (CmpSymbol x y) '(x, n) xs '(y, o) ys

type family
  MergedBy
    (order :: Ordering)
    (x :: Label)
    (xs :: [Label])
    (y :: Label)
    (ys :: [Label]) ::
    [Label]
  where
  MergedBy 'GT x xs y ys = y ': Merged (x ': xs) ys
  MergedBy order x xs y ys = x ': Merged xs (y ': ys)

type family Alike (owner :: Symbol) (what :: Symbol) (labels :: [Label]) :: Constraint where
  Alike owner what ('(x, n) ': '(x, o) ': labels) =
    Refused
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

-- * Without tags

-- | Without a tag each constructor is read, as far as the fields' types say it: what it writes
-- is not all read as one before it.
type family
  ReadEach
    (encoding :: Encoding)
    (options :: [Type])
    (constructors :: [Type -> Type]) ::
    Constraint
  where
  ReadEach 'Untagged options (c ': later) =
    (ReadAfter options c later, ReadEach 'Untagged options later)
  ReadEach encoding options constructors = ()

type family
  ReadAfter
    (options :: [Type])
    (c :: Type -> Type)
    (later :: [Type -> Type]) ::
    Constraint
  where
  ReadAfter options c '[] = ()
  ReadAfter options c (d ': later) = (ReadBeside options c d, ReadAfter options c later)

type family ConstructorsOf (f :: Type -> Type) (rest :: [Type -> Type]) :: [Type -> Type] where
  ConstructorsOf (f :+: g) rest = ConstructorsOf f (ConstructorsOf g rest)
  ConstructorsOf f rest = f ': rest

type family
  ReadBeside
    (options :: [Type])
    (c :: Type -> Type)
    (d :: Type -> Type) ::
    Constraint
  where
  ReadBeside options (C1 c U1) d = ()
  ReadBeside options (C1 ('MetaCons n x 'True) f) (C1 ('MetaCons m y 'True) g) =
    RecordBeside
      n
      m
      (Has RejectUnknownFields options)
      (TypesOf f '[])
      (TypesFor options f g ('Just '[]))
  ReadBeside options (C1 ('MetaCons n x 'False) f) (C1 ('MetaCons m y 'False) g) =
    Apart n m (TypesOf f '[]) (TypesOf g '[])
  ReadBeside options c d = ()

type family
  RecordBeside
    (n :: Symbol)
    (m :: Symbol)
    (closed :: Bool)
    (expected :: [Type])
    (written :: Maybe [Type]) ::
    Constraint
  where
  RecordBeside n m 'False expected ('Just written) = Apart n m expected written
  RecordBeside n m closed expected written = ()

type family TypesOf (f :: Type -> Type) (rest :: [Type]) :: [Type] where
  TypesOf (f :*: g) rest = TypesOf f (TypesOf g rest)
  TypesOf (S1 s (Rec0 a)) rest = a ': rest
  TypesOf U1 rest = rest

-- | The types of those fields of the second record that are called as the first one's, if all
-- of them are there.
type family
  TypesFor
    (options :: [Type])
    (f :: Type -> Type)
    (g :: Type -> Type)
    (rest :: Maybe [Type]) ::
    Maybe [Type]
  where
  TypesFor options f g 'Nothing = 'Nothing
  TypesFor options (f :*: h) g rest = TypesFor options f g (TypesFor options h g rest)
  TypesFor options (S1 ('MetaSel ('Just n) u v w) a) g rest =
    Listed (Special options n) (Lookup n g) rest

type family
  Listed (special :: Maybe Handling) (found :: Maybe Type) (rest :: Maybe [Type]) ::
    Maybe [Type]
  where
  Listed 'Nothing ('Just a) ('Just rest) = 'Just (a ': rest)
  Listed special found rest = 'Nothing

type family Lookup (n :: Symbol) (f :: Type -> Type) :: Maybe Type where
  Lookup n (f :*: g) = OrElse (Lookup n f) (Lookup n g)
  Lookup n (S1 ('MetaSel ('Just n) u v w) (Rec0 a)) = 'Just a
  Lookup n f = 'Nothing

type family OrElse (a :: Maybe Type) (b :: Maybe Type) :: Maybe Type where
  OrElse ('Just a) b = 'Just a
  OrElse 'Nothing b = b

-- | Two constructors' fields, whose types may be variables. INCOHERENT: of such as could become
-- equal nothing is said.
class Apart (n :: Symbol) (m :: Symbol) (as :: [Type]) (bs :: [Type])

instance {-# OVERLAPPABLE #-} Apart n m as bs

instance {-# INCOHERENT #-} (Refused (Hidden n m)) => Apart n m as as

instance {-# INCOHERENT #-} (Refused (Hidden n m)) => Apart n m '[Text.Text] '[]

type Hidden n m =
  'Text "The constructor "
    ':<>: 'Text m
    ':<>: 'Text " is never read: without a tag what it writes is read as "
    ':<>: 'Text n

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
  Known type_ (FieldComputed n function ': options) f = Known type_ options f
  Known type_ (FieldLabelModifier modifier ': options) f = Known type_ options f
  Known type_ (ConstructorTagModifier modifier ': options) f = Known type_ options f
  Known type_ (OmitNothingFields ': options) f = Known type_ options f
  Known type_ (RejectUnknownFields ': options) f = Known type_ options f
  Known type_ (UnwrapUnaryRecords ': options) f = Known type_ options f
  Known type_ (TagSingleConstructors ': options) f = Known type_ options f
  Known type_ (NoAllNullaryToStringTag ': options) f = Known type_ options f
  Known type_ (SumTaggedObject tag tag ': options) f =
    Refused
      ( 'Text
          type_
          ':<>: 'Text " has the tag and the contents under one name, "
          ':<>: 'ShowType tag
      )
  Known type_ (SumTaggedObject tag contents ': options) f =
    (OneSum (SumTaggedObject tag contents) (SumOf options), Known type_ options f)
  Known type_ (SumObjectWithSingleField ': options) f =
    (OneSum SumObjectWithSingleField (SumOf options), Known type_ options f)
  Known type_ (SumTwoElemArray ': options) f =
    (OneSum SumTwoElemArray (SumOf options), Known type_ options f)
  Known type_ (SumUntaggedValue ': options) f =
    (OneSum SumUntaggedValue (SumOf options), Known type_ options f)
  Known type_ (option ': options) f =
    Refused ('Text "WithOptions: this is no option of deriving: " ':<>: 'ShowType option)

type family
  KnownField
    (type_ :: Symbol)
    (option :: Symbol)
    (n :: Symbol)
    (has :: Bool) ::
    Constraint
  where
  KnownField type_ option n 'True = ()
  KnownField type_ option n 'False =
    Refused
      ( 'Text
          option
          ':<>: 'Text ": "
          ':<>: 'Text type_
          ':<>: 'Text " has no field that is called "
          ':<>: 'ShowType n
      )

-- | How constructors are told apart is said once.
type family OneSum (option :: Type) (other :: Maybe Type) :: Constraint where
  OneSum option 'Nothing = ()
  OneSum option ('Just other) =
    Refused
      ( 'Text "WithOptions: two options say how constructors are told apart: "
          ':<>: 'ShowType option
          ':<>: 'Text " and "
          ':<>: 'ShowType other
      )

-- | The first option that says it.
type family SumOf (options :: [Type]) :: Maybe Type where
  SumOf '[] = 'Nothing
  SumOf (SumTaggedObject tag contents ': options) = 'Just (SumTaggedObject tag contents)
  SumOf (SumObjectWithSingleField ': options) = 'Just SumObjectWithSingleField
  SumOf (SumTwoElemArray ': options) = 'Just SumTwoElemArray
  SumOf (SumUntaggedValue ': options) = 'Just SumUntaggedValue
  SumOf (option ': options) = SumOf options

-- | What becomes of a field is said once.
type family Once (n :: Symbol) (again :: Maybe Handling) :: Constraint where
  Once n 'Nothing = ()
  Once n again =
    Refused ('Text "WithOptions: two options say what becomes of the field " ':<>: 'ShowType n)

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
