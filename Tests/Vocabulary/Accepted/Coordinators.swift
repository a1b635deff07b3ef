import Rx

/// The coordinator of many RxSwift apps: generic, subclassed, with a bag that subclasses use.
open class BaseCoordinator<ResultType> {
    typealias CoordinationResult = ResultType

    public let disposeBag = DisposeBag()
    private let identifier = UniqueNumber.next()
    private var childCoordinators = [Int: Any]()

    public init() {}

    private func store<T>(_ coordinator: BaseCoordinator<T>) { childCoordinators[coordinator.identifier] = coordinator }
    private func free<T>(_ coordinator: BaseCoordinator<T>) { childCoordinators[coordinator.identifier] = nil }

    open func coordinate<T>(to coordinator: BaseCoordinator<T>) -> Observable<T> {
        store(coordinator)
        return coordinator.start()
            .do(onNext: { [weak self] _ in self?.free(coordinator) })
    }

    open func start() -> Observable<ResultType> { fatalError("start() should be implemented") }

    var count: Int { childCoordinators.count }
}

enum UniqueNumber {
    private static let numbers = BehaviorRelay(value: 0)
    static func next() -> Int {
        numbers.accept(numbers.value + 1)
        return numbers.value
    }
}

enum EditResult {
    case saved(Article)
    case canceled
}

final class EditCoordinator: BaseCoordinator<EditResult> {
    private let article: Article
    let save = PublishSubject<Void>()
    let cancel = PublishSubject<Void>()

    init(article: Article) {
        self.article = article
    }

    override func start() -> Observable<EditResult> {
        let article = self.article
        let saved = save.map { EditResult.saved(article) }
        let canceled = cancel.map { _ in EditResult.canceled }
        return Observable.merge(saved, canceled).take(1)
    }
}

final class ListCoordinator: BaseCoordinator<Void> {
    private(set) var edited: [Article] = []
    let selection = PublishSubject<Article>()
    private(set) var editor: EditCoordinator?

    override func start() -> Observable<Void> {
        selection
            .flatMap { [weak self] article -> Observable<Article?> in
                guard let self else { return .empty() }
                return self.edit(article)
            }
            .filter { $0 != nil }
            .map { $0! }
            .bind(onNext: { [weak self] in self?.edited.append($0) })
            .disposed(by: disposeBag)
        return Observable.never()
    }

    private func edit(_ article: Article) -> Observable<Article?> {
        let editor = EditCoordinator(article: article)
        self.editor = editor
        return coordinate(to: editor).map { result in
            switch result {
            case .saved(let article): return article
            case .canceled: return nil
            }
        }
    }
}

func coordinators() {
    let list = ListCoordinator()
    let subscription = list.start().subscribe()
    list.selection.onNext(Article(id: 1, title: "one"))
    check(list.count, 1)
    list.editor?.save.onNext(())
    list.selection.onNext(Article(id: 2, title: "two"))
    list.editor?.cancel.onNext(())
    check(list.edited.map(\.id), [1])
    check(list.count, 0)
    subscription.dispose()
}
