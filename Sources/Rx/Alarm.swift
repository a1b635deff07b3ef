/// The alarm of a junction. It is set anew as often as one likes, only the latest setting counts, and it goes off in a
/// turn: what it does overlaps with no event of a source. Stopped with the legs.
final class Alarm: DisposeBase, @unchecked Sendable {
    // Unchecked: `number` is touched in turns only, once the sources run; the rest guards itself.
    /// The owner of this alarm. What is scheduled keeps it.
    private unowned let junction: Junction
    private let scheduler: any SchedulerType
    private let current = SerialDisposable()
    /// Of the latest setting: one that went off while a turn was under way may have been replaced in that turn.
    @exclusivity(unchecked) private var number = 0

    init(_ junction: Junction, _ scheduler: any SchedulerType) {
        self.junction = junction
        self.scheduler = scheduler
        super.init()
        junction.insert(self)
    }

    /// In a turn, or before the sources run.
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
