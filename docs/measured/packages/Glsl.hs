-- | A shader read, looked through and printed: functions with loops and conditions, many times
-- over, as a library of shaders has them.
module Main (main) where

import Language.GLSL
import Text.PrettyPrint.HughesPJClass (prettyShow)

shader :: Int -> String
shader n =
  unlines
    [ "uniform mat4 view" ++ i ++ ";",
      "uniform sampler2D tex" ++ i ++ ";",
      "struct light" ++ i ++ " { float intensity; vec3 position; };",
      "const float coef" ++ i ++ " = " ++ show n ++ ".75;",
      "in vec3 normal" ++ i ++ ";",
      "float shade" ++ i ++ " (vec3 at, float power) {",
      "  float sum = 0.0;",
      "  for (int k = 0; k < 8; k++) {",
      "    vec3 d = normalize (at - vec3 (k * 0.5, sum, -1.0));",
      "    if (dot (d, normal" ++ i ++ ") > 0.1 && k != 3) {",
      "      sum += pow (dot (d, normal" ++ i ++ "), power) * coef" ++ i ++ ";",
      "    } else {",
      "      sum = sum * 0.5 + (power > 2.0 ? 0.1 : 0.2);",
      "    }",
      "  }",
      "  return clamp (sum, 0.0, 1.0);",
      "}",
      "void paint" ++ i ++ " () {",
      "  vec4 c = texture (tex" ++ i ++ ", vec2 (0.5, 0.25));",
      "  c.rgb *= shade" ++ i ++ " (normal" ++ i ++ ", 3.0 + coef" ++ i ++ ");",
      "  int bits = 1 << 3 | 0x0f & ~7;",
      "  while (bits > 0) { bits = bits >> 1; c.a = c.a + 0.01; }",
      "}"
    ]
  where
    i = show n

-- | Functions, and declarations of anything else.
census :: TranslationUnit -> (Int, Int)
census (TranslationUnit all') = (length [() | FunctionDefinition _ _ <- all'], length all')

main :: IO ()
main = do
  let text = concatMap shader [1 .. 30]
  case parse text of
    Left problem -> print problem
    Right unit -> do
      print (census unit)
      let printed = prettyShow unit
      print (length (lines printed))
      print (length (filter (== ';') printed))
