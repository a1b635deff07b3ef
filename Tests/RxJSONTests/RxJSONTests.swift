// Tests of RxJSON.
