/// The limits of a test.
enum TestLimits {
    /// The most moments in one test: a slot each second for two months.
    static let moments = 5_000_000
    /// The most things that happen at one moment: beyond it, feedback goes on for ever without any time in between.
    static let messages = 100_000
}
