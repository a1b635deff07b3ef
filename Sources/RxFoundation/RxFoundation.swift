// RxFoundation: what of the vocabulary needs all of Foundation.
