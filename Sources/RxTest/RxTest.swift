// RxTest: tests of observables, without waiting.
