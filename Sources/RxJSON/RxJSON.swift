// RxJSON: JSON values, raw slices, reader, writer and pointer.
