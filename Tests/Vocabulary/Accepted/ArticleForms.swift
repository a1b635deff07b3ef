import Rx
import RxAction

/// A form whose button is an action, and whose work uses the form.
@MainActor
final class ArticleForm {
    var title = ""
    var errors: [String] = []
    private(set) var saved: [Article] = []
    private let disposeBag = DisposeBag()

    lazy var save = Action<Article, Article>(enabledIf: .just(true)) { [unowned self] article in
        article.title = self.title
        return .just(article)
    }

    lazy var fail: Action<Void, Never> = Action { .error(Failure.two) }

    func bind() {
        save.elements.subscribe(onNext: { self.saved.append($0) }).disposed(by: disposeBag)
        fail.errors.subscribe(onNext: { [weak self] in self?.errors.append("\($0)") }).disposed(by: disposeBag)
    }
}

@MainActor
func articleForms() {
    let form = ArticleForm()
    form.title = "titled"
    form.bind()
    form.save.execute(Article(id: 1, title: "")).subscribe().dispose()
    form.fail.execute(()).subscribe(onError: { form.errors.append("\($0)") }).dispose()
    check(form.saved.map(\.title), ["titled"])
    check(form.errors.isEmpty, false)
}
