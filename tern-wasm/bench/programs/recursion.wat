;; Recursion written by hand: no locals to save, nothing for a compiler to fold.
(module
  (func $fib (param i32) (result i32)
    (if (result i32) (i32.lt_u (local.get 0) (i32.const 2))
      (then (local.get 0))
      (else (i32.add
        (call $fib (i32.sub (local.get 0) (i32.const 1)))
        (call $fib (i32.sub (local.get 0) (i32.const 2)))))))
  (func (export "run") (result i32) (call $fib (i32.const 30))))
