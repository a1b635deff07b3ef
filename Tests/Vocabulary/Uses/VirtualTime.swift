import Dispatch
import Foundation
import Rx
import RxTest

func virtualTime() {
    let log = Log<String>()
    let scheduler = Coarse(initialClock: 0, converter: TenthsConverter())
    let time: Coarse.VirtualTime = scheduler.clock
    let interval: Coarse.VirtualTimeInterval = 5
    check(time + interval, 5)
    scheduler.schedule("now") { text in
        log.append("\(text) \(scheduler.clock)"); return Disposables.create()
    }
    .dispose()
    let kept: [any Disposable] = [
        scheduler.scheduleRelative("relative", dueTime: .seconds(1)) { text in
            log.append("\(text) \(scheduler.clock)")
            return Disposables.create()
        },
        scheduler.scheduleRelativeVirtual("virtual", dueTime: 20) { text in
            log.append("\(text) \(scheduler.clock)")
            return Disposables.create()
        },
        scheduler.scheduleAbsoluteVirtual("absolute", time: 30) { text in
            log.append("\(text) \(scheduler.clock)")
            scheduler.stop()
            return Disposables.create()
        },
        scheduler.schedulePeriodic(1, startAfter: .seconds(4), period: .seconds(4)) { count in
            log.append("periodic \(count) \(scheduler.clock)")
            return count + 1
        },
    ]
    check(scheduler.debugDescription.isEmpty, false)
    scheduler.start()
    check(log.entries, ["relative 12", "virtual 20", "absolute 30"])
    scheduler.sleep(5)
    check(scheduler.clock, 35)
    scheduler.advanceTo(90)
    check(log.entries.suffix(2), ["periodic 1 42", "periodic 2 84"])
    check(scheduler.now, Date(timeIntervalSince1970: 9))
    for disposable in kept { disposable.dispose() }
    check(scheduler.adjustScheduledTime(31), 32)

    let converter = TenthsConverter()
    check(seconds(of: 5, by: converter), 0.5)
    check(converter.convertFromVirtualTimeInterval(converter.convertToVirtualTimeInterval(2)), 2)

    let plain = VirtualTimeScheduler(initialClock: 5, converter: converter)
    check(plain.adjustScheduledTime(3), 3)

    let historical = HistoricalScheduler()
    check(historical.clock, Date(timeIntervalSince1970: 0))
    let later = HistoricalScheduler(initialClock: Date(timeIntervalSince1970: 60))
    Observable<Int>.timer(.seconds(60), scheduler: later).subscribe(onNext: { log.append("timer \($0)") }).dispose()
    later.advanceTo(Date(timeIntervalSince1970: 200))
    check(later.now, Date(timeIntervalSince1970: 200))

    let dates = HistoricalSchedulerTimeConverter()
    let day: HistoricalSchedulerTimeConverter.VirtualTimeUnit = Date(timeIntervalSince1970: 0)
    let hour: HistoricalSchedulerTimeConverter.VirtualTimeIntervalUnit = 3600
    check(dates.convertFromVirtualTime(dates.convertToVirtualTime(day)), day)
    check(dates.convertFromVirtualTimeInterval(dates.convertToVirtualTimeInterval(hour)), hour)
    check(dates.compareVirtualTime(day, dates.offsetVirtualTime(day, offset: hour)), .lessThan)
}

/// Has no caller: the converter of a test scheduler is not made outside of its module.
func testTime(by converter: TestSchedulerVirtualTimeConverter) {
    let time: TestSchedulerVirtualTimeConverter.VirtualTimeUnit = 100
    let interval: TestSchedulerVirtualTimeConverter.VirtualTimeIntervalUnit = 10
    check(converter.convertToVirtualTime(converter.convertFromVirtualTime(time)), 100)
    check(converter.convertToVirtualTimeInterval(converter.convertFromVirtualTimeInterval(interval)), 10)
    check(converter.compareVirtualTime(converter.offsetVirtualTime(time, offset: interval), time), .greaterThan)
    check(VirtualTimeComparison.equal == converter.compareVirtualTime(time, time), true)
}

/// The client's own time: tenths of a second since 1970.
struct TenthsConverter: VirtualTimeConverterType {
    typealias VirtualTimeUnit = Int
    typealias VirtualTimeIntervalUnit = Int

    func convertFromVirtualTime(_ virtualTime: Int) -> RxTime {
        Date(timeIntervalSince1970: Double(virtualTime) / 10)
    }

    func convertToVirtualTime(_ time: RxTime) -> Int { Int((time.timeIntervalSince1970 * 10).rounded()) }
    func convertFromVirtualTimeInterval(_ virtualTimeInterval: Int) -> TimeInterval { Double(virtualTimeInterval) / 10 }
    func convertToVirtualTimeInterval(_ timeInterval: TimeInterval) -> Int { Int((timeInterval * 10).rounded()) }
    func offsetVirtualTime(_ time: Int, offset: Int) -> Int { time + offset }

    func compareVirtualTime(_ lhs: Int, _ rhs: Int) -> VirtualTimeComparison {
        if lhs < rhs { return .lessThan }
        return lhs > rhs ? .greaterThan : .equal
    }
}

/// A scheduler of the client's own: what comes from relative times happens at even times.
final class Coarse: VirtualTimeScheduler<TenthsConverter>, @unchecked Sendable {
    // Unchecked: adds no state.
    override func adjustScheduledTime(_ time: VirtualTime) -> VirtualTime { (time / 2 + 1) * 2 }
}

func seconds<Converter: VirtualTimeConverterType>(
    of time: Converter.VirtualTimeUnit, by converter: Converter
) -> TimeInterval {
    let later: Converter.VirtualTimeUnit = converter.offsetVirtualTime(
        time, offset: converter.convertToVirtualTimeInterval(0) as Converter.VirtualTimeIntervalUnit)
    check(converter.compareVirtualTime(time, later), .equal)
    check(converter.convertFromVirtualTimeInterval(converter.convertToVirtualTimeInterval(3)), 3)
    return converter.convertFromVirtualTime(converter.convertToVirtualTime(converter.convertFromVirtualTime(later)))
        .timeIntervalSince1970
}
