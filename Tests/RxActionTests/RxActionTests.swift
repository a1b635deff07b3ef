// Tests of RxAction.
