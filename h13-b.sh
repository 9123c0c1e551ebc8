cd tern-wasm && ../dist-newstyle/ghc-9.6.6-O1/build/x86_64-linux/ghc-9.6.6/tern-wasm-0.1.0.0/b/programs/build/programs/programs "$@"
