;; A grey picture of 256 by 256 bytes, blurred over and over: each byte becomes the mean of
;; its four neighbours, sixteen at a time.
(module
  (memory 3)
  (func $fill (local $k i32)
    (loop $l
      (i32.store8 (local.get $k) (i32.xor (i32.mul (local.get $k) (i32.const 73))
        (i32.shr_u (local.get $k) (i32.const 8))))
      (br_if $l (i32.lt_u (local.tee $k (i32.add (local.get $k) (i32.const 1))) (i32.const 65536)))))
  (func $blur (param $from i32) (param $to i32) (local $end i32)
    (local.set $end (i32.add (local.get $from) (i32.const 65024)))
    (loop $l
      (v128.store offset=256 (local.get $to)
        (i8x16.avgr_u
          (i8x16.avgr_u (v128.load offset=255 (local.get $from)) (v128.load offset=257 (local.get $from)))
          (i8x16.avgr_u (v128.load (local.get $from)) (v128.load offset=512 (local.get $from)))))
      (local.set $to (i32.add (local.get $to) (i32.const 16)))
      (br_if $l (i32.lt_u
        (local.tee $from (i32.add (local.get $from) (i32.const 16))) (local.get $end)))))
  (func $sum (result i32) (local $k i32) (local $s v128)
    (loop $l
      (local.set $s (i32x4.add (local.get $s)
        (i32x4.extadd_pairwise_i16x8_u (i16x8.extadd_pairwise_i8x16_u (v128.load (local.get $k))))))
      (br_if $l (i32.lt_u (local.tee $k (i32.add (local.get $k) (i32.const 16))) (i32.const 65536))))
    (i32.add
      (i32.add (i32x4.extract_lane 0 (local.get $s)) (i32x4.extract_lane 1 (local.get $s)))
      (i32.add (i32x4.extract_lane 2 (local.get $s)) (i32x4.extract_lane 3 (local.get $s)))))
  (func (export "run") (result i32) (local $k i32)
    (call $fill)
    (loop $l
      (call $blur (i32.const 0) (i32.const 65552))
      (call $blur (i32.const 65552) (i32.const 0))
      (br_if $l (i32.lt_u (local.tee $k (i32.add (local.get $k) (i32.const 1))) (i32.const 20))))
    (call $sum)))
