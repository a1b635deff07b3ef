import Rx
import RxReactor
import Testing

@Suite("The smallest reactor", .leakFree)
struct LightTests {
    @Test("one action with one mutation gives two states, the initial one included")
    func twoStates() {
        let light = Light()
        let states = Locked<[Light.State]>([])
        let subscription = light.state.subscribe(onNext: { state in states.withLock { $0.append(state) } })
        light.action.onNext(.toggle)
        #expect(states.withLock { $0 } == [.init(), .init(isOn: true, count: 1)])
        subscription.dispose()
    }
}
