import Rx
import RxReactor
import RxTest
import RxTodo

// RxTodo is tested as a program that uses it would use it.

/// A service with three tasks, 1 to 3, whose new ones are n1, n2 and so on.
func makeService() -> TaskService {
    let count = Locked(0)
    return TaskService((1...3).map { TodoTask(id: "\($0)", title: "task \($0)") }) {
        count.withLock { count in
            count += 1
            return "n\(count)"
        }
    }
}

/// Keeps what a sequence sends.
final class Kept<Element: Sendable>: Sendable {
    private let elements = Locked<[Element]>([])
    private let bag = DisposeBag()

    init(_ observable: Observable<Element>) {
        observable.subscribe(onNext: { [elements] element in elements.withLock { $0.append(element) } })
            .disposed(by: bag)
    }

    var all: [Element] { elements.withLock { $0 } }
    var last: Element? { all.last }
}
