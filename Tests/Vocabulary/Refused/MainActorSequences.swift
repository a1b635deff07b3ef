import Rx

// Only what certainly arrives on the main thread may use the state of the main actor.
@MainActor
final class Profile {
    var title = ""
    private let bag = DisposeBag()

    func otherSchedulers(_ texts: Observable<String>, _ scheduler: any SchedulerType) {
        // refused: main actor-isolated property 'title' can not be mutated from a Sendable closure
        texts.subscribe(onNext: { self.title = $0 }).disposed(by: bag)
        let queue = SerialDispatchQueueScheduler(qos: .default)
        // refused: main actor-isolated property 'title' can not be mutated from a Sendable closure
        texts.observe(on: queue).subscribe(onNext: { self.title = $0 }).disposed(by: bag)
        // refused: main actor-isolated property 'title' can not be mutated from a Sendable closure
        texts.observe(on: scheduler).subscribe(onNext: { [weak self] in self?.title = $0 }).disposed(by: bag)
        // refused: main actor-isolated property 'title' can not be referenced from a Sendable closure
        texts.observe(on: queue).map { self.title + $0 }.subscribe().disposed(by: bag)
    }

    func otherOperators(_ texts: Observable<String>) {
        let main = texts.observe(on: MainScheduler.instance)
        // refused: main actor-isolated property 'title' can not be mutated from a Sendable closure
        main.startWith("").subscribe(onNext: { self.title = $0 }).disposed(by: bag)
        // refused: main actor-isolated property 'title' can not be mutated from a Sendable closure
        main.share().subscribe(onNext: { self.title = $0 }).disposed(by: bag)
        // refused: main actor-isolated property 'title' can not be referenced from a Sendable closure
        main.flatMap { Observable.just(self.title + $0) }.subscribe().disposed(by: bag)
        // refused: main actor-isolated property 'title' can not be mutated from a Sendable closure
        main.catchAndReturn("").subscribe(onNext: { self.title = $0 }).disposed(by: bag)
        // refused: main actor-isolated property 'title' can not be mutated from a Sendable closure
        main.asObservable().subscribe(onNext: { self.title = $0 }).disposed(by: bag)
        // refused: main actor-isolated property 'title' can not be mutated from a Sendable closure
        main.take(for: .seconds(1), scheduler: MainScheduler.instance).bind { self.title = $0 }.disposed(by: bag)
    }

    func startsAndEnds(_ texts: Observable<String>) {
        let main = texts.observe(on: MainScheduler.instance)
        // refused: main actor-isolated property 'title' can not be mutated from a Sendable closure
        main.subscribe(onNext: { self.title = $0 }, onDisposed: { self.title = "" }).disposed(by: bag)
        // refused: main actor-isolated property 'title' can not be mutated from a Sendable closure
        main.subscribe(with: self, onDisposed: { $0.title = "" }).disposed(by: bag)
        // refused: main actor-isolated property 'title' can not be mutated from a Sendable closure
        main.do(onSubscribe: { self.title = "" }).subscribe().disposed(by: bag)
        // refused: main actor-isolated property 'title' can not be mutated from a Sendable closure
        main.do(onSubscribed: { self.title = "" }).subscribe().disposed(by: bag)
        // refused: main actor-isolated property 'title' can not be mutated from a Sendable closure
        main.do(onDispose: { self.title = "" }).subscribe().disposed(by: bag)
    }

    func traits(_ text: Single<String>, _ texts: Infallible<String>) {
        // refused: main actor-isolated property 'title' can not be mutated from a Sendable closure
        text.subscribe(onSuccess: { self.title = $0 }).disposed(by: bag)
        let main = text.observe(on: MainScheduler.instance)
        // refused: main actor-isolated property 'title' can not be mutated from a Sendable closure
        main.catchAndReturn("").subscribe(onSuccess: { self.title = $0 }).disposed(by: bag)
        // refused: main actor-isolated property 'title' can not be mutated from a Sendable closure
        main.subscribe(onDisposed: { self.title = "" }).disposed(by: bag)
        // refused: main actor-isolated property 'title' can not be mutated from a Sendable closure
        texts.bind { self.title = $0 }.disposed(by: bag)
        // refused: main actor-isolated property 'title' can not be mutated from a Sendable closure
        texts.observe(on: MainScheduler.instance).startWith("").bind { self.title = $0 }.disposed(by: bag)
    }
}
