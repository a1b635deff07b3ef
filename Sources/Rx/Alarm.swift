/// The timer of a junction. It can be set repeatedly; only the latest setting counts. It fires in a turn, so its action
/// overlaps no event of a source. Stopped with the legs.
final class Alarm: DisposeBase, @unchecked Sendable {
    // Unchecked: once the sources run, `number` is touched only in turns; the rest guards itself.
    /// The owner of this alarm. Scheduled work retains it.
    private unowned let junction: Junction
    private let scheduler: any SchedulerType
    private let current = SerialDisposable()
    /// The number of the latest setting. An alarm that fires during a turn may have been replaced in that turn.
    @exclusivity(unchecked) private var number = 0

    init(_ junction: Junction, _ scheduler: any SchedulerType) {
        self.junction = junction
        self.scheduler = scheduler
        super.init()
        junction.insert(self)
    }

    /// Sets the alarm. Called in a turn or before the sources run.
    func set(after dueTime: RxTimeInterval, _ action: @escaping @Sendable () -> Void) {
        if current.isDisposed { return }
        number += 1
        let number = number
        let timer = SingleAssignmentDisposable()
        current.disposable = timer
        timer.setDisposable(
            scheduler.scheduleRelative(junction, dueTime: dueTime) { junction in
                self.goOff(number, in: junction, action)
                return Disposables.create()
            })
    }

    private func goOff(_ number: Int, in junction: Junction, _ action: @escaping @Sendable () -> Void) {
        guard junction.enter() else {
            return junction.park(ClosureTurn { if self.counts(number, in: junction) { action() } })
        }
        if counts(number, in: junction) { action() }
        junction.leave()
    }

    private func counts(_ number: Int, in junction: Junction) -> Bool {
        number == self.number && !junction.isOver && !junction.isDisposed
    }

    override func dispose() { current.dispose() }
}
