import Rx
import RxTraits

// A closure made on the main actor that uses its state would run wherever the source sends from.
@MainActor
final class Screen {
    var title = ""
    private let bag = DisposeBag()

    func bind(_ texts: Observable<String>) {
        // refused: main actor-isolated property 'title' can not be referenced from a Sendable closure
        texts.map { text in self.title + text }.subscribe().disposed(by: bag)
        // refused: main actor-isolated property 'title' can not be mutated from a Sendable closure
        texts.subscribe(onNext: { self.title = $0 }).disposed(by: bag)
        // refused: main actor-isolated property 'title' can not be mutated from a Sendable closure
        texts.subscribe { [weak self] event in self?.title = event.element ?? "" }.disposed(by: bag)
        // refused: main actor-isolated property 'title' can not be mutated from a Sendable closure
        texts.subscribe(with: self, onNext: { screen, text in screen.title = text }).disposed(by: bag)
        // refused: call to main actor-isolated instance method 'show' in a synchronous nonisolated context
        texts.do(onNext: { self.show($0) }).subscribe().disposed(by: bag)
        // refused: converting function value of type '@MainActor @Sendable (String) -> ()'
        texts.subscribe(onNext: show).disposed(by: bag)
        // refused: main actor-isolated property 'title' can not be referenced from a Sendable closure
        texts.filter { $0 == self.title }.subscribe().disposed(by: bag)
        // refused: main actor-isolated property 'title' can not be mutated from a Sendable closure
        Disposables.create { self.title = "" }.disposed(by: bag)
    }

    func bind(_ texts: Driver<String>) {
        // refused: main actor-isolated property 'title' can not be mutated from a Sendable closure
        texts.drive(onDisposed: { self.title = "" }).disposed(by: bag)
        // refused: main actor-isolated property 'title' can not be mutated from a Sendable closure
        texts.asObservable().subscribe(onNext: { self.title = $0 }).disposed(by: bag)
    }

    func titles() -> Observable<String> {
        Observable.create { observer in
            // refused: main actor-isolated property 'title' can not be referenced from a Sendable closure
            observer.onNext(self.title)
            return Disposables.create()
        }
    }

    func show(_ text: String) { title = text }
}
