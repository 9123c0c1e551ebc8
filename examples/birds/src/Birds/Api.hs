{-# LANGUAGE DataKinds #-}
{-# LANGUAGE OverloadedStrings #-}

-- | The service's resources, as a type. Server, client and description are made of it.
module Birds.Api
  ( Api,
    about,
  )
where

import Birds.Observation (Change, Correction, Kept, Observation, Page)
import Data.Text (Text)
import Servant.API
import Tern.Servant (AllFormats, BodyEach, GetEach, GetLive)
import Tern.Servant.OpenApi (About (..))

-- | All that is below @/observations@. The pages for people, and the description, are not in it.
type Api =
  "observations"
    :> ( Summary "A page of observations"
           :> QueryParam "species" Text
           :> QueryParam "place" Text
           :> QueryParam "after" Int
           :> QueryParam "size" Int
           :> AllFormats Get Page
           :<|> Summary "Add one" :> AllFormats ReqBody Observation :> AllFormats PostCreated Kept
           :<|> "each"
             :> Summary "All that fit, one by one"
             :> QueryParam "species" Text
             :> QueryParam "place" Text
             :> GetEach Kept
           :<|> "each"
             :> Summary "Add many, while they come"
             :> Description
                  "Each is kept when it has come: where one is refused those before it stay."
             :> BodyEach Observation
             :> AllFormats PostCreated Int
           :<|> "changes"
             :> Summary "What happened after a change, and goes on happening"
             :> Description
                  "Each change is sent when it happens, for as long as the client listens. \
                  \MessagePack, CBOR and containers end after a silence: ask again after the \
                  \last one."
             :> QueryParam "after" Int
             :> GetLive Change
           :<|> Summary "One of them" :> Capture "number" Int :> AllFormats Get Kept
           :<|> Summary
                  "Correct one"
             :> Capture "number" Int
             :> AllFormats ReqBody Correction
             :> AllFormats Patch Kept
       )

-- | What the description says of the service: its title, its version, and what it is about.
about :: About
about = About "Birds" "1" "What birds were seen, where and when."
