// Tests of Rx.
