// Tests of RxHost.
