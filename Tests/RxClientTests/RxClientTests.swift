// Tests of RxClient.
