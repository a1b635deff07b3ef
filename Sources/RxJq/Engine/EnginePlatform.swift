package import RxHost

/// Everything that the engines of jq reactors use of the outside world: worker processes, a clock, a thread for each
/// engine, and a way to wait.
///
/// `SystemEnginePlatform` is the system's. A simulation conforms types of its own: its driver takes an engine's turns
/// when the engine is woken, when its worker has a reply, and when its deadline has come.
package protocol EnginePlatform: Sendable {
    associatedtype Worker: WorkerConnection
    associatedtype Driver: EngineDriver where Driver.Platform == Self
    associatedtype Signal: EngineSignal

    /// The time on a clock that never goes back, since an arbitrary moment.
    var now: Duration { get }

    /// Starts a worker process. Called in the turns of an engine.
    ///
    /// - Throws: an error if the process or its socket cannot be created.
    func startWorker(executable: String, limits: JqLimits) throws(WorkerStartError) -> Worker

    /// Returns the driver of one engine.
    func makeDriver() -> Driver

    /// Returns a signal that is not sent yet.
    func makeSignal() -> Signal
}

/// Takes the turns of one engine.
package protocol EngineDriver: AnyObject, Sendable {
    associatedtype Platform: EnginePlatform

    /// Calls `loop.begin()` and then `loop.turn`, one call at a time, until that returns false.
    ///
    /// - Throws: a fault of stage `.restore` if that is impossible.
    func start(_ loop: JqReactorLoop<Platform>) throws(ReactorFault)

    /// Requests a turn. Called from any thread, once after each `JqReactorLoop.fallAsleep` that returned true.
    func wake()
}

/// Something that happens once and that a thread waits for.
package protocol EngineSignal: Sendable {
    /// Ends the wait. Any thread.
    func send()

    /// Waits until the signal is sent.
    ///
    /// - Parameter deadline: when to stop waiting, by the platform's clock; nil for never.
    func wait(until deadline: Duration?)
}
