-- | Documents of any shape.
module Tern.Internal.Wire.Document
  ( jsonValue,
    mpackValue,
    jsonRaw,
    cborValue,
  )
where

import Data.Bifunctor (first)
import Tern.Cbor.Conversion qualified as Cbor
import Tern.Error (Error (errorReason), renderReason)
import Tern.Internal.Cbor.Value qualified as Cbor
import Tern.Internal.Json.Document (decodeTextWith, encodeTextWith)
import Tern.Internal.Json.Raw (Raw, rawOf, rawR, rawValue, rawW)
import Tern.Internal.MessagePack.Value qualified as Mpack
import Tern.Internal.Native.Read qualified as NativeR
import Tern.Internal.Native.Reader (refined)
import Tern.Internal.Native.Write qualified as NativeW
import Tern.Internal.Wire.Codec (Codec, CodecIn (..), directly, mapCodec, plain)
import Tern.Internal.Wire.Direct (overBytes, same)
import Tern.Internal.Write (contramapWriter)
import Tern.MessagePack.Conversion (fromJson, toJson)
import Tern.Shape (ShapeOf (..))
import Tern.Shape qualified as Shape
import Tern.Value qualified as Json

-- | As MessagePack and CBOR it is the nearest document that these have; what is lost is
-- not said ("Tern.MessagePack.Value" and "Tern.Cbor.Value" have what says it). In the
-- native format it is a text.
jsonValue :: Codec Json.Value
jsonValue =
  directly same $
    plain
      (ShapeOf Shape.Anything)
      Json.valueW
      Json.valueR
      (contramapWriter (fst . fromJson) Mpack.valueW)
      (fst . toJson <$> Mpack.valueR)
      (contramapWriter (fst . Cbor.fromJson) Cbor.valueW)
      (fst . Cbor.toJson <$> Cbor.valueR)
      (contramapWriter (encodeTextWith Json.valueW) NativeW.text)
      (refined (first (renderReason . errorReason) . decodeTextWith Json.valueR) NativeR.text)

-- | In formats other than JSON it is the value that the piece says.
jsonRaw :: Codec Raw
jsonRaw =
  (mapCodec rawOf rawValue jsonValue)
    { jsonWriter = rawW,
      jsonReader = rawR,
      codecDirect = overBytes rawW rawR
    }

-- | As JSON likewise.
mpackValue :: Codec Mpack.Value
mpackValue =
  plain
    (ShapeOf Shape.Anything)
    (contramapWriter (fst . toJson) Json.valueW)
    (fst . fromJson <$> Json.valueR)
    Mpack.valueW
    Mpack.valueR
    (contramapWriter Cbor.fromMessagePack Cbor.valueW)
    (Cbor.toMessagePack <$> Cbor.valueR)
    (contramapWriter Mpack.encodeValue NativeW.bytes)
    (refined (first (renderReason . errorReason) . Mpack.decodeValue) NativeR.bytes)

-- | In the other formats likewise.
cborValue :: Codec Cbor.Value
cborValue =
  plain
    (ShapeOf Shape.Anything)
    (contramapWriter (fst . Cbor.toJson) Json.valueW)
    (fst . Cbor.fromJson <$> Json.valueR)
    (contramapWriter Cbor.toMessagePack Mpack.valueW)
    (Cbor.fromMessagePack <$> Mpack.valueR)
    Cbor.valueW
    Cbor.valueR
    (contramapWriter Cbor.encodeValue NativeW.bytes)
    (refined (first (renderReason . errorReason) . Cbor.decodeValue) NativeR.bytes)
