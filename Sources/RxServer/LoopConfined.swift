/// Carries something that belongs to the loop through a `@Sendable` closure that hands it back there.
// Unchecked: the code that makes one promises to use `value` on the loop's thread alone.
struct LoopConfined<Value>: @unchecked Sendable {
    let value: Value

    init(_ value: Value) {
        self.value = value
    }
}
