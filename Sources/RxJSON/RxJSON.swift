// RxJSON: JSON that is fully validated, passed on as written, and written fast.
//
// Three representations of JSON, by purpose:
//
// - `JSONView`: a value in a text that a `JSONReader` has just validated. Free of copies; invalid with the reader's
//   next text. For inspecting a message.
// - `RawJSON`: the validated bytes of one value. For passing a value on without interpreting it: numbers, escapes, and
//   the order of members stay as written.
// - `JSONValue`: a tree. For building, changing, and comparing.
//
// Rules:
// - The reader accepts exactly RFC 8259: UTF-8 without a byte order mark, no comments, no trailing commas, no NaN.
//   `JSONLimits` limits size and depth. Unpaired escaped surrogates are refused, because no string can represent them.
// - A repeated key is accepted; its last value counts.
// - A number stays as written. An integer beyond 64 bits and a number beyond a double are refused with a JSON Pointer
//   to the location (`JSONError.Kind.number`).
// - Output is compact and on one line.
//
// Reading order: JSONLimits, JSONError, JSONReader, JSONView, RawJSON, JSONNumber, JSONObject, JSONValue, JSONWriter,
// JSONPointer, JSONSchema, JSONPatch, DurationText. JSONPatch+Difference uses
// ArrayDifference and Ordering.
// simdjson does the parsing. JSONSyntaxScan is slower and only explains why simdjson refused a text.
