import Rx

/// A screen that awaits elements which are not `Sendable`.
@MainActor
final class ArticleScreen {
    var article: Article?

    func load(_ articles: Observable<Article>) async throws {
        article = try await articles.asSingle().value
        check(article?.title, "a")
        article = try await articles.asMaybe().value
        try await articles.ignoreElements().asCompletable().value
        for try await next in articles.values { article = next }
    }
}

@MainActor
func awaitedValues() async throws {
    let screen = ArticleScreen()
    try await screen.load(.just(Article(id: 1, title: "a")))
    check(screen.article?.id, 1)
}
