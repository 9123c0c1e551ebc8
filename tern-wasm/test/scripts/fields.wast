;; A module whose fields stand by themselves.

(func (export "f") (result i32) (i32.const 1))
(memory 1)
(assert_return (invoke "f") (i32.const 1))
