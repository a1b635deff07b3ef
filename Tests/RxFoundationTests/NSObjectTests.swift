import Foundation
import Rx
import RxFoundation
import Testing
import TestSupport

@Suite("NSObject.rx", .leakFree)
struct NSObjectTests {
    @Test("an extension of a class is there for its objects and subclasses")
    func extensions() {
        let thermometer = Thermometer(), precise = PreciseThermometer()
        #expect(thermometer.rx.doubled == 42)
        #expect(precise.rx.doubled == 42)
        #expect(precise.rx.base === precise)
        #expect(Thermometer.rx.name == "thermometer")
    }
}

private class Thermometer: NSObject {
    let degrees = 21
}

private final class PreciseThermometer: Thermometer {}

extension Reactive where Base: Thermometer {
    fileprivate var doubled: Int { base.degrees * 2 }
    fileprivate static var name: String { "thermometer" }
}
