import Rx
import RxReactor
import Testing
import TestSupport

@Suite("ReactorHost", .leakFree)
struct ReactorHostTests {
    @Test("setting a reactor binds it once, and its states arrive")
    func binds() {
        let panel = Panel()
        #expect(panel.reactor == nil)
        #expect(panel.log.all == [])
        let light = Light()
        panel.reactor = light
        #expect(panel.reactor === light)
        #expect(panel.log.all == ["bind", "off"])
        light.action.onNext(.toggle)
        #expect(panel.log.all == ["bind", "off", "on"])
    }

    @Test("setting another reactor disposes what was bound before it binds")
    func replaces() {
        let panel = Panel()
        let first = Light(), second = Light()
        panel.reactor = first
        let bag = ObjectIdentifier(panel.disposeBag)
        panel.reactor = second
        #expect(ObjectIdentifier(panel.disposeBag) != bag)
        #expect(panel.log.all == ["bind", "off", "disposed", "bind", "off"])
        first.action.onNext(.toggle)
        #expect(panel.log.all.last == "off")
        second.action.onNext(.toggle)
        #expect(panel.log.all == ["bind", "off", "disposed", "bind", "off", "on"])
    }

    @Test("while the earlier binding is disposed, the host already has the new reactor")
    func order() {
        let panel = SharedPanel()
        let first = Light(), second = Light()
        panel.reactor = first
        let seen = Locked<[Bool]>([])
        Disposables.create { [weak panel] in
            let isNew = panel?.reactor === second
            seen.withLock { $0.append(isNew) }
        }.disposed(by: panel.disposeBag)
        panel.reactor = second
        #expect(seen.withLock { $0 } == [true])
    }

    @Test("an assignment within the disposal of the earlier binding is the one that is bound")
    func assignedWhileDisposed() {
        let panel = SharedPanel()
        panel.reactor = Light()
        let last = Light()
        Disposables.create { [weak panel] in panel?.reactor = last }.disposed(by: panel.disposeBag)
        panel.reactor = Light()
        #expect(panel.reactor === last)
        #expect(panel.bound.withLock { $0 } == 2)
    }

    @Test("setting the same reactor binds it again, with one subscription")
    func again() {
        let panel = Panel()
        let light = Light()
        panel.reactor = light
        panel.reactor = light
        #expect(panel.log.all == ["bind", "off", "disposed", "bind", "off"])
        light.action.onNext(.toggle)
        #expect(panel.log.all == ["bind", "off", "disposed", "bind", "off", "on"])
    }

    @Test("setting nil disposes and does not bind")
    func clears() {
        let panel = Panel()
        weak var released: Light?
        do {
            let light = Light()
            released = light
            panel.reactor = light
        }
        #expect(released != nil)
        panel.reactor = nil
        #expect(panel.reactor == nil)
        #expect(panel.log.all == ["bind", "off", "disposed"])
        #expect(released == nil)
        panel.reactor = nil
        #expect(panel.log.all == ["bind", "off", "disposed"])
    }

    @Test("a bind that sets another reactor leaves that one bound")
    func nested() {
        let panel = Panel()
        let light = Light()
        panel.replacement = light
        panel.reactor = Light()
        #expect(panel.reactor === light)
        light.action.onNext(.toggle)
        #expect(panel.log.all.filter { $0 == "bind" }.count == 2)
        #expect(panel.log.all.last == "on")
    }

    @Test("releasing the host disposes the binding and releases the reactor")
    func released() {
        let log: Log
        weak var released: Light?
        do {
            let panel = Panel()
            let light = Light()
            log = panel.log
            released = light
            panel.reactor = light
        }
        #expect(log.all == ["bind", "off", "disposed"])
        #expect(released == nil)
    }

    @Test("a host on the main actor binds there")
    @MainActor func mainActor() {
        let screen = Screen()
        let light = Light()
        screen.reactor = light
        light.action.onNext(.toggle)
        #expect(screen.titles == ["off", "on"])
        screen.reactor = nil
        light.action.onNext(.toggle)
        #expect(screen.titles == ["off", "on"])
    }

    @Test("a host may declare the bag itself, as ReactorKit's views do")
    func ownBag() {
        let view = ClassicView()
        let light = Light()
        view.reactor = light
        view.reactor = light
        light.action.onNext(.toggle)
        #expect(view.log.all == ["off", "off", "on"])
    }

    @Test("a host that is Sendable can be set on any thread, one assignment after the other")
    func sendable() async {
        let panel = SharedPanel()
        let lights = (0..<8).map { _ in Light() }
        for light in lights { await Task.detached { panel.reactor = light }.value }
        #expect(panel.bound.withLock { $0 } == 8)
        #expect(panel.reactor === lights.last)
        panel.reactor = nil
        #expect(panel.reactor == nil)
    }
}

/// Writes down what its reactor shows.
private final class Panel: ReactorHost {
    let hosting = Hosting()
    let log = Log()
    var replacement: Light?

    func bind(reactor: Light) {
        log.write("bind")
        if let replacement {
            self.replacement = nil
            self.reactor = replacement
            return
        }
        reactor.state.map { $0.isOn ? "on" : "off" }
            .subscribe(onNext: { [log] in log.write($0) }, onDisposed: { [log] in log.write("disposed") })
            .disposed(by: disposeBag)
    }
}

@MainActor
private final class Screen: @MainActor ReactorHost {
    let hosting = Hosting()
    private(set) var titles: [String] = []

    func bind(reactor: Light) {
        reactor.state.map { $0.isOn ? "on" : "off" }
            .subscribe(onNext: { [weak self] title in MainActor.assumeIsolated { self?.titles.append(title) } })
            .disposed(by: disposeBag)
    }
}

private class ClassicView: ReactorHost {
    typealias Reactor = Light

    let hosting = Hosting()
    let log = Log()
    var disposeBag = DisposeBag()

    func bind(reactor: Light) {
        reactor.state.map { $0.isOn ? "on" : "off" }.subscribe(onNext: { [log] in log.write($0) }).disposed(
            by: disposeBag)
    }
}

private final class SharedPanel: ReactorHost, Sendable {
    let hosting = Hosting()
    let bound = Locked(0)

    func bind(reactor: Light) {
        bound.withLock { $0 += 1 }
        reactor.state.subscribe().disposed(by: disposeBag)
    }
}
