-- | A problem as an answer, in the format that the request accepts, or else in the one
-- that the service likes best. Start at 'respondProblem'.
module Tern.Http.Trouble
  ( respondProblem,
    respondProblemTo,
    problemContent,
    accepted,
  )
where

import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Char8 qualified as BC
import Data.ByteString.Lazy qualified as BL
import Data.List.NonEmpty (toList)
import Data.List.NonEmpty qualified as NonEmpty
import Network.HTTP.Types (ResponseHeaders, hAccept, hContentLength, hContentType, methodHead)
import Network.Wai (Request (..), Response, responseLBS)
import Tern.Http.Format (Entry (..), entry, formatOffers)
import Tern.Http.Problem (Problem, problemStatus)
import Tern.Http.Settings (Settings (..))
import Tern.Negotiate
  ( Accept,
    Offer (..),
    choose,
    fieldValue,
    offer,
    parseAccept,
    renderMediaType,
    typePreference,
    varied,
  )

-- | A problem with some more headers; also before anything was negotiated.
respondProblem :: Settings -> Request -> ResponseHeaders -> Problem -> Response
respondProblem settings request = respondProblemTo (accepted request) settings request

-- | The same for who has read @Accept@ already.
respondProblemTo :: Accept -> Settings -> Request -> ResponseHeaders -> Problem -> Response
respondProblemTo accept settings request headers what =
  responseLBS
    (problemStatus what)
    (varied (described <> headers))
    (if requestMethod request == methodHead then BL.empty else BL.fromStrict bytes)
  where
    (described, bytes) = contentTo accept settings what

-- | What a problem's answer says of its content, and the content.
problemContent :: Settings -> Request -> Problem -> (ResponseHeaders, ByteString)
problemContent settings request = contentTo (accepted request) settings

contentTo :: Accept -> Settings -> Problem -> (ResponseHeaders, ByteString)
contentTo accept settings what =
  ( varied
      [ (hContentType, renderMediaType (entryProblem spoken)),
        (hContentLength, BC.pack (show (B.length bytes)))
      ],
    bytes
  )
  where
    those =
      settingsFormats settings >>= \format ->
        NonEmpty.cons (offer format (entryProblem (entry format))) (formatOffers format)
    spoken =
      entry
        ( maybe
            (NonEmpty.head (settingsFormats settings))
            offerFormat
            ( choose
                (typePreference accept)
                (toList those)
            )
        )
    bytes = entryEncode spoken what

-- | What media types a request accepts.
accepted :: Request -> Accept
accepted = parseAccept . fieldValue hAccept . requestHeaders
