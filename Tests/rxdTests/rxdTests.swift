// Tests of rxd.
