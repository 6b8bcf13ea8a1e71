#include "tool/site/site.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "session/documentation.h"
#include "support/diagnostics.h"
#include "support/library_files.h"
#include "support/text.h"
#include "syntax/foreign.h"
#include "tool/commands/commands.h"
#include "tool/commands/reference.h"
#include "tool/present/picture.h"
#include "tool/shell/process.h"
#include "tool/shell/script.h"
#include "tool/site/markdown.h"
#include "tool/site/program_html.h"

namespace mtf::tool {
namespace {

constexpr std::string_view kSiteStyle =
    R"(:root { --paper: #fff; --ink: #222; --faint: #666; --line: #ddd; --box: #f4f5f7;
  --link: #1b5fa8; --word: #7a3e9d; --string: #2f7d4f; --number: #a0521d; --remark: #6b7280; --output: #24702a }
@media (prefers-color-scheme: dark) { :root { --paper: #16181c; --ink: #ddd; --faint: #9aa0a8; --line: #3a3f46;
  --box: #20242a; --link: #7db4ee; --word: #c99be6; --string: #86c79b; --number: #e0a070; --remark: #8b93a0;
  --output: #7fc48a } }
* { box-sizing: border-box }
body { font: 16px/1.5 sans-serif; margin: 0; color: var(--ink); background: var(--paper) }
a { color: var(--link) } .skip:not(:focus) { position: absolute; left: -999px }
header { border-bottom: 1px solid var(--line); padding: 8px 16px }
header nav { display: flex; flex-wrap: wrap; gap: 2px 14px; align-items: baseline; max-width: 1100px; margin: auto }
header b a { text-decoration: none; color: inherit } header form { margin-left: auto }
input { font: inherit; width: 11em; color: inherit; background: var(--box); border: 1px solid var(--line); padding: 2px 6px }
.body { max-width: 1100px; margin: auto; padding: 0 16px 4em }
main { min-width: 0 } h1, h2, h3 { line-height: 1.25; overflow-wrap: anywhere }
h2 { border-top: 1px solid var(--line); padding-top: .8em; margin-top: 1.6em }
.anchor { color: inherit; text-decoration: none } .anchor:hover { text-decoration: underline }
details.contents { border: 1px solid var(--line); padding: 4px 12px; margin: 1em 0 }
details.contents ul { columns: 2; margin: .5em 0; padding-left: 1em; list-style: none }
details.contents li { overflow-wrap: anywhere }
code, pre { font: 13px/1.45 monospace } code { background: var(--box); padding: 1px 3px; overflow-wrap: anywhere }
pre { background: var(--box); padding: 10px 12px; overflow-x: auto } pre code { padding: 0 }
.wide { overflow-x: auto } table { border-collapse: collapse } td, th { border-bottom: 1px solid var(--line);
  padding: 3px 10px 3px 0; text-align: left; vertical-align: top }
.w { color: var(--word) } .s { color: var(--string) } .n { color: var(--number) } .r { color: var(--remark) }
.o { color: var(--output); font-weight: bold } .k { color: inherit; text-decoration-color: var(--faint) }
.t { border-bottom: 1px dotted var(--faint); cursor: help }
.t:hover::after, .t:focus::after { content: attr(data-type); position: absolute; z-index: 1; white-space: pre-wrap;
  background: var(--ink); color: var(--paper); padding: 3px 8px; margin: 1.4em 0 0 -2em; max-width: min(90vw, 60em);
  border-radius: 3px; pointer-events: none }
.said { color: var(--faint) } mark { background: #f3e08a; color: #222 }
@media (max-width: 700px) { body { font-size: 15px } .body { padding: 0 10px 3em } details.contents ul { columns: 1 }
  header form { margin: 4px 0; width: 100% } input { width: 100% } .t { position: static }
  .t:hover::after, .t:focus::after { left: 10px; margin-left: 0 } }
)";

constexpr std::string_view kSearchPage = R"(<h1>Search</h1>
<form action="search.html"><input name="q" id="q" aria-label="Search" autofocus></form>
<noscript><p>The search needs JavaScript. Everything else does not: <a href="index.html">the pages</a>.</p></noscript>
<p id="count" class="said"></p>
<div id="found"></div>
<script src="search-index.js"></script>
<script src="search.js"></script>
)";

/// Ranks a section by where the words stand: as its title, in its title, in its text. All words must be there.
constexpr std::string_view kSearchScript = R"(function find(sections, question) {
  const words = question.toLowerCase().split(/\s+/).filter(word => word);
  const squash = text => text.toLowerCase().replace(/[\s_-]/g, "");
  const rank = ([title, url, page, text]) => {
    const low = title.toLowerCase(), all = (title + " " + page + " " + text).toLowerCase();
    let sum = 0;
    for (const word of words) {
      const names = low.split(/[\s,./()]+/);
      if (low == word || names.includes(word)) sum += 100;
      else if (squash(title).includes(squash(word))) sum += 40;
      else if (!all.includes(word)) return 0;
      sum += Math.min(10, all.split(word).length - 1);
    }
    const is_name = [title, title.split(".").pop()].some(name => squash(name) == squash(question));
    return sum + (is_name ? 200 : 0) - Math.min(5, text.length / 4000);
  };
  return words.length == 0 ? [] : sections.map(section => [rank(section), section]).filter(([sum]) => sum > 0)
    .sort((a, b) => b[0] - a[0]).map(([, section]) => section);
}
if (typeof document != "undefined") {
  const field = document.getElementById("q"), list = document.getElementById("found");
  const show = () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(word => word), found = find(SECTIONS, field.value);
    list.textContent = "";
    document.getElementById("count").textContent =
      words.length ? found.length + (found.length == 1 ? " section" : " sections") : "";
    for (const [title, url, page, text] of found.slice(0, 50)) {
      const item = document.createElement("p"), link = document.createElement("a"), said = document.createElement("div");
      link.href = url; link.textContent = title;
      item.append(link, " ", Object.assign(document.createElement("span"), {className: "said", textContent: page}));
      const at = Math.max(0, text.toLowerCase().indexOf(words[0]) - 60);
      for (const piece of text.slice(at, at + 200).split(/(\s+)/)) {
        const is_hit = words.some(word => piece.toLowerCase().includes(word));
        said.append(is_hit ? Object.assign(document.createElement("mark"), {textContent: piece}) : piece);
      }
      item.append(said); list.append(item);
    }
  };
  field.value = new URLSearchParams(location.search).get("q") || "";
  field.oninput = show; show();
}
)";

const std::vector<std::pair<std::string, std::string>> kTopPages = {
    {"tour.html", "Tour"},           {"language.html", "Language"},
    {"reference.html", "Reference"}, {"errors.html", "Errors"},
    {"prompt.html", "Prompt"},       {"planning.html", "Planning"},
    {"ranks.html", "Ranks"},         {"commands.html", "Commands"},
    {"examples.html", "Examples"},   {"words.html", "Words of other systems"}};

std::string text_of_file(const std::string& folder, const std::string& name) {
  return SourceFile::read((std::filesystem::path(folder) / name).string())->text();
}

/// Returns a Markdown text without its first line, which is the title.
std::string without_title(const std::string& text) { return text.substr(std::min(text.find('\n') + 1, text.size())); }

/// A part of the reference: a family of operations, the functions of the language, or a module.
struct ReferencePart {
  std::string title, file;
  std::string markdown;              ///< with its heading as the title
  std::vector<std::string> entries;  ///< the names that it explains
};

class Site {
 public:
  explicit Site(std::string examples) : examples_(std::move(examples)) {}

  std::vector<GeneratedFile> files() {
    read_reference();
    for (const session::Page& page : session::error_pages(""))
      for (const std::string& word : page.words) known_.emplace(word, "errors.html#" + id_of_title(word));
    const LibraryFiles library("");
    add_markdown("tour.html", "A tour of the language",
                 without_examples(without_title(text_of_file(examples_, "README.md"))));
    add_markdown("language.html", "The language", without_title(library.read("LANGUAGE.md")->text()));
    add_markdown("errors.html", "Errors", without_title(library.read("ERRORS.md")->text()));
    add_markdown("prompt.html", "The prompt", without_title(library.read("PROMPT.md")->text()));
    add_markdown("planning.html", "Planning a training run", without_title(library.read("PLANNING.md")->text()));
    add_markdown("ranks.html", "Several processes and machines", without_title(library.read("RANKS.md")->text()));
    add_reference();
    add_commands();
    add_examples();
    add_words();
    add_index();
    add_page("search.html", "Search", std::string(kSearchPage), {});
    files_.push_back({"site.css", std::string(kSiteStyle)});
    files_.push_back({"search.js", std::string(kSearchScript)});
    files_.push_back(
        {"search-index.js",
         "const SECTIONS = " + sections_.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + ";\n"});
    return std::move(files_);
  }

 private:
  MarkdownStyle style() const {
    return {[this](const std::string& language, const std::string& text) {
              return language == "mtf" ? program_html("", text, known_) : "<pre>" + xml_text(text) + "</pre>\n";
            },
            [this](const std::string& code) { return linked_code(code); },
            [](const std::string& address) { return site_address(address); }};
  }

  /// Returns code of a sentence, as a link if the site explains it.
  std::string linked_code(const std::string& code) const {
    const auto known = known_.find(code);
    const std::string html = "<code>" + xml_text(code) + "</code>";
    return known == known_.end() ? html : fmt::format("<a class=\"k\" href=\"{}\">{}</a>", known->second, html);
  }

  /// Returns the page of a file of the project.
  static std::string site_address(const std::string& address) {
    if (address.find("://") != std::string::npos || address.starts_with('#')) return address;
    const std::size_t cut = std::min(address.find('#'), address.size());
    const std::string path = address.substr(0, cut),
                      name = path.substr(path.rfind('/') == std::string::npos ? 0 : path.rfind('/') + 1);
    const std::string anchor = cut == address.size() ? "" : "#" + id_of_title(address.substr(cut + 1));
    if (name == "README.md") return "tour.html" + anchor;
    for (const auto& [file, page] : {std::pair{"LANGUAGE.md", "language.html"},
                                     {"REFERENCE.md", "reference.html"},
                                     {"ERRORS.md", "errors.html"},
                                     {"PROMPT.md", "prompt.html"},
                                     {"PLANNING.md", "planning.html"},
                                     {"RANKS.md", "ranks.html"}})
      if (name == file) return page + anchor;
    if (name.ends_with(".mtf")) return "example-" + name.substr(0, name.size() - 4) + ".html" + anchor;
    return address;
  }

  /// Returns the tour without its last section, which lists the examples: they have a page of their own.
  std::string without_examples(const std::string& tour) {
    const std::size_t at = tour.find("\n## The examples in this folder");
    list_of_examples_ = at == std::string::npos ? "" : tour.substr(at + 1);
    return tour.substr(0, at);
  }

  void add_page(const std::string& file, const std::string& title, const std::string& body,
                const std::vector<Heading>& headings) {
    std::string out = fmt::format(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{}</title>\n<meta name=\"viewport\" "
        "content=\"width=device-width, initial-scale=1\"><link rel=\"stylesheet\" href=\"site.css\"></head>\n<body>"
        "<a class=\"skip\" href=\"#content\">To the content</a>\n<header><nav><b><a href=\"index.html\">mtf</a></b>\n",
        xml_text(title == "mtf" ? title : title + " · mtf"));
    for (const auto& [page, name] : kTopPages)
      out += page == file ? fmt::format("<b>{}</b>\n", name) : fmt::format("<a href=\"{}\">{}</a>\n", page, name);
    out +=
        "<form action=\"search.html\" role=\"search\"><input name=\"q\" placeholder=\"Search\" aria-label=\"Search\">"
        "</form></nav></header>\n<div class=\"body\"><main id=\"content\">\n";
    std::string contents;
    for (const Heading& heading : headings)
      if (heading.level == 2 || headings.size() < 60 || heading.level == 3)
        contents += fmt::format("<li><a href=\"#{}\">{}</a></li>\n", heading.id, xml_text(heading.title));
    const std::size_t behind_title = body.find("</h1>\n");
    if (headings.size() > 2 && behind_title != std::string::npos)
      out += body.substr(0, behind_title + 6) +
             fmt::format("<details class=\"contents\"{}><summary>Contents</summary><ul>\n{}</ul></details>\n",
                         headings.size() < 16 ? " open" : "", contents) +
             body.substr(behind_title + 6);
    else out += body;
    files_.push_back({file, out + "</main></div></body></html>\n"});
  }

  void add_section(const std::string& title, const std::string& address, const std::string& page,
                   const std::string& text) {
    sections_.push_back({title, address, page, text});
  }

  void add_markdown(const std::string& file, const std::string& title, const std::string& markdown,
                    const std::string& behind = {}) {
    const MarkdownPage page = page_of_markdown(markdown, style());
    for (const Heading& heading : page.headings)
      add_section(heading.title, file + "#" + heading.id, title, heading.text);
    add_page(file, title, "<h1>" + xml_text(title) + "</h1>\n" + page.html + behind, page.headings);
  }

  /// Splits the reference at its headings of level 2, and notes where each name is explained.
  void read_reference() {
    std::string* text = &reference_head_;
    for (const std::string& line : split(without_title(reference_text()), '\n')) {
      if (line.starts_with("## ")) {
        ReferencePart& part = parts_.emplace_back();
        part.title = line.substr(3);
        const bool is_module = part.title.starts_with("Module ");
        part.file = "reference-" + id_of_title(is_module ? part.title.substr(7) : part.title) + ".html";
        if (is_module) known_[part.title.substr(7)] = part.file;
        text = &part.markdown;
        continue;
      }
      if (line.starts_with("### ") && !parts_.empty()) {
        parts_.back().entries.push_back(line.substr(4));
        known_[line.substr(4)] = parts_.back().file + "#" + id_of_title(line.substr(4));
      }
      *text += line + "\n";
    }
  }

  void add_reference() {
    std::string list;
    for (const ReferencePart& part : parts_) {
      add_markdown(part.file, part.title, part.markdown);
      list += fmt::format("<h2 id=\"{0}\"><a href=\"{1}\">{2}</a></h2>\n<p>", id_of_title(part.title), part.file,
                          xml_text(part.title));
      for (const std::string& entry : part.entries) list += linked_code(entry) + "\n";
      list += "</p>\n";
    }
    add_markdown("reference.html", "Reference", reference_head_, list);
  }

  void add_commands() {
    std::string body =
        "<h1>Commands</h1>\n<p>This is what <code>mtf --help</code> and <code>mtf COMMAND --help</code> "
        "print.</p>\n<pre>" +
        xml_text(overview()) + "</pre>\n";
    std::vector<Heading> headings;
    for (const Command* command : all_commands()) {
      const std::string name(command->name), help = help_of(*command);
      body += fmt::format("<h2 id=\"{0}\"><a class=\"anchor\" href=\"#{0}\">mtf {0}</a></h2>\n<pre>{1}</pre>\n", name,
                          xml_text(help));
      headings.push_back({2, name, "mtf " + name, help});
      add_section("mtf " + name, "commands.html#" + name, "Commands", help);
    }
    add_page("commands.html", "Commands", body, headings);
  }

  /// Returns what a script prints; nothing if it cannot be run here.
  static std::string printed_by(const std::string& path) {
    constexpr std::chrono::seconds kLimit{60};
    const ProcessResult result = run_process({own_program(), "run", path}, {}, kLimit);
    return result.status == 0 ? result.out : "";
  }

  void add_examples() {
    std::string body = "<h1>Examples</h1>\n<p>Each is a whole program, which a test runs.</p>\n";
    MarkdownPage list = page_of_markdown(list_of_examples_, style());
    body += list.html;
    std::string others;
    for (const std::string& path : find_scripts({examples_})) {
      const std::string name = std::filesystem::path(path).stem().string();
      const std::string file = "example-" + name + ".html", text = SourceFile::read(path)->text();
      std::string page = fmt::format("<h1>{}.mtf</h1>\n", name) + program_html(path, text, known_);
      if (text.find("\n#>") == std::string::npos) {
        const std::string printed = printed_by(path);
        page +=
            "<h2 id=\"printed\">What it prints</h2>\n" +
            (printed.empty() ? std::string("<p>It reads data that is not here: the remarks at its top say which, and "
                                           "what it then prints.</p>\n")
                             : "<pre>" + xml_text(printed) + "</pre>\n");
      }
      add_page(file, name + ".mtf", page, {});
      add_section(name + ".mtf", file, "Examples", text);
      if (list.html.find("\"" + file + "\"") == std::string::npos)
        others += fmt::format("<li><a href=\"{}\">{}.mtf</a></li>\n", file, name);
    }
    if (!others.empty()) body += "<ul>\n" + others + "</ul>\n";
    add_page("examples.html", "Examples", body, {});
  }

  /// Lists the words of other systems that help explains (syntax/foreign.def).
  void add_words() {
    std::string body =
        "<h1>Words of other systems</h1>\n<p>What takes their place here, as <code>mtf help WORD</code> says "
        "it.</p>\n<dl>\n";
    for (const auto& [word, help] : syntax::all_foreign_words()) {
      const std::string id = id_of_title(word);
      body += fmt::format("<dt id=\"{}\"><code>{}</code></dt><dd>{}</dd>\n", id, xml_text(word),
                          inline_html(help, style()));
      add_section(word, "words.html#" + id, "Words of other systems", help);
    }
    add_page("words.html", "Words of other systems", body + "</dl>\n", {});
  }

  void add_index() {
    const std::string overview_text = overview();
    std::string body =
        "<h1>mtf</h1>\n<p>" + xml_text(overview_text.substr(5, overview_text.find("\n\n") - 5)) + "</p>\n";
    body += program_html("", text_of_file(examples_, "two_layer.mtf"), known_);
    body += "<p>Point at a name, or tap on it: its type and its layout appear. Operations are links.</p>\n<ul>\n";
    const std::pair<const char*, const char*> said[] = {
        {"tour.html", "where to begin: each block is a whole program with its output"},
        {"language.html", "every statement, word and sign"},
        {"reference.html", "every operation, function and standard module, with examples"},
        {"errors.html", "each kind of message: a program that has it, and one that does not"},
        {"prompt.html", "the commands of the interactive prompt"},
        {"planning.html", "whether a training run fits a cluster, what limits it, and which split is best"},
        {"ranks.html", "several processes, and several machines: hosts, networks, Slurm, containers"},
        {"commands.html", "the commands and options of mtf"},
        {"examples.html", "programs to start from"},
        {"words.html", "from PyTorch, JAX, NumPy and others"}};
    for (const auto& [page, words] : said)
      for (const auto& [file, name] : kTopPages)
        if (file == page) body += fmt::format("<li><a href=\"{}\">{}</a>: {}</li>\n", page, name, words);
    add_page("index.html", "mtf", body + "<li><a href=\"search.html\">Search</a> in all of them</li>\n</ul>\n", {});
  }

  const std::string examples_;
  std::string reference_head_, list_of_examples_;
  std::vector<ReferencePart> parts_;
  KnownAddresses known_;
  nlohmann::json sections_ = nlohmann::json::array();
  std::vector<GeneratedFile> files_;
};

}  // namespace

std::string folder_of_examples() {
  const std::filesystem::path program = own_program();
  const std::filesystem::path above = program.parent_path().parent_path();
  for (const std::filesystem::path& folder : {above / "share/doc/mtf/examples", above / "examples"}) {
    std::error_code ignored;
    if (std::filesystem::exists(folder / "README.md", ignored)) return folder.string();
  }
  return {};
}

std::vector<GeneratedFile> site_files(const std::string& examples) { return Site(examples).files(); }

}  // namespace mtf::tool
