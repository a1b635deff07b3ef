/// Waits for a condition, without holding a thread; false if it does not come true in time.
///
/// The time alone is no limit: tests that compute may hold the threads of the pool for longer. So the condition is read
/// at least 2,000 times, with a turn of the pool in between, before it counts as false.
package func eventually(within limit: Duration = .seconds(20), _ condition: () -> Bool) async -> Bool {
    let deadline = ContinuousClock.now + limit
    var readings = 0
    while !condition() {
        readings += 1
        guard ContinuousClock.now < deadline || readings < 2000 else { return false }
        try? await Task.sleep(for: .milliseconds(2))
    }
    return true
}
