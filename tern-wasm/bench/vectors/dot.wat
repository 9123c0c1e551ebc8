;; Dot products of single floats, four at a time, in two sums so that one addition does
;; not wait for the other.
(module
  (memory 1)
  (func $fill (local $k i32)
    (loop $l
      (f32.store (i32.shl (local.get $k) (i32.const 2))
        (f32.convert_i32_s (i32.sub (i32.and (i32.mul (local.get $k) (i32.const 7)) (i32.const 31)) (i32.const 15))))
      (br_if $l (i32.lt_u (local.tee $k (i32.add (local.get $k) (i32.const 1))) (i32.const 16384)))))
  (func $dot (param $a i32) (param $b i32) (param $n i32) (result f32)
    (local $s v128) (local $t v128)
    (loop $l
      (local.set $s (f32x4.add (local.get $s)
        (f32x4.mul (v128.load (local.get $a)) (v128.load (local.get $b)))))
      (local.set $t (f32x4.add (local.get $t)
        (f32x4.mul (v128.load offset=16 (local.get $a)) (v128.load offset=16 (local.get $b)))))
      (local.set $a (i32.add (local.get $a) (i32.const 32)))
      (local.set $b (i32.add (local.get $b) (i32.const 32)))
      (br_if $l (local.tee $n (i32.sub (local.get $n) (i32.const 8)))))
    (local.set $s (f32x4.add (local.get $s) (local.get $t)))
    (f32.add
      (f32.add (f32x4.extract_lane 0 (local.get $s)) (f32x4.extract_lane 1 (local.get $s)))
      (f32.add (f32x4.extract_lane 2 (local.get $s)) (f32x4.extract_lane 3 (local.get $s)))))
  (func (export "run") (result i32) (local $k i32) (local $sum f32)
    (call $fill)
    (loop $l
      (local.set $sum (f32.add (local.get $sum)
        (call $dot (i32.const 0) (i32.const 32768) (i32.const 8192))))
      (br_if $l (i32.lt_u (local.tee $k (i32.add (local.get $k) (i32.const 1))) (i32.const 200))))
    (i32.trunc_sat_f32_s (local.get $sum))))
