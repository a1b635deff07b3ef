// Tests of RxServer.
