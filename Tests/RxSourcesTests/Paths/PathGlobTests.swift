import Testing

@testable import RxSources

@Suite("Patterns of paths")
struct PathGlobTests {
    @Test(
        "match the last component without a slash, and the whole path with one",
        arguments: [
            ("*.md", "x.md", true), ("*.md", "a/b/x.md", true), ("*.md", "x.mdx", false), ("*.md", "x.md/y", false),
            ("?", "a", true), ("?", "ab", false), ("[a-c]x", "bx", true), ("[!a-c]x", "bx", false),
            ("[]]", "]", true), ("\\*", "*", true), ("\\*", "a", false), ("*a*b*c", "xxaybbzc", true),
            ("*a*b*c", "xxaybbz", false), ("a/*.md", "a/x.md", true), ("a/*.md", "a/b/x.md", false),
            ("/a", "a", true), ("/a", "b/a", false), ("a/**", "a/b/c", true), ("a/**", "a", false),
            ("**/c", "c", true), ("**/c", "a/b/c", true), ("**/c", "a/bc", false), ("a/**/c", "a/c", true),
            ("a/**/c", "a/b/b/c", true), ("a/**/c", "ab/c", false), ("a**/c", "ab/b/c", true),
            ("**/a*/b", "a1/x/a2/b", true), ("**/*.md", "a/b.md", true), ("a/**/*b*/c", "a/x/xb/y/bb/c", true),
            ("**", "a/b", true), ("*", "a/b", true), ("a*/b", "a/x/b", false), ("**/x/*/y", "x/x/z/y", true),
        ])
    func matching(pattern: String, path: String, expected: Bool) throws {
        let glob = try #require(PathGlob(pattern))
        #expect(glob.matches(Array(path.utf8)[...]) == expected)
    }

    @Test("are refused if they are empty, or a set is not closed", arguments: ["", "/", "[a", "[!]"])
    func refused(pattern: String) { #expect(PathGlob(pattern) == nil) }
}
