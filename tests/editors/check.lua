-- Neovim's side of tests/editors.sh: the language server in a real Neovim. What is wrong goes to the file g:result.
local wrong = {}
local function expect(is_right, what)
  if not is_right then table.insert(wrong, what) end
end
local function ask(method, params)
  local answers = vim.lsp.buf_request_sync(0, method, params, 60000)
  for _, answer in pairs(answers or {}) do return answer.result end
end
local function at(line, character)
  return { textDocument = vim.lsp.util.make_text_document_params(), position = { line = line, character = character } }
end
local function main()
  vim.cmd("edit " .. vim.g.folder .. "/neovim.mtf")
  vim.cmd("set filetype=mtf")
  expect(vim.wait(60000, function() return #vim.diagnostic.get(0) == 1 end, 50), "one error is shown")
  local found = vim.diagnostic.get(0)[1] or {}
  expect(found.lnum == 3 and found.code == "unknown_name", vim.inspect(found))
  local hover = ask("textDocument/hover", at(2, 4))
  expect(hover and hover.contents.value:find("x: f32[n=4", 1, true), vim.inspect(hover))
  local items = ask("textDocument/completion", at(3, 9))
  expect(items ~= nil, "completion answers")
  vim.api.nvim_buf_set_lines(0, 3, 4, false, { "let   y=x" })
  expect(vim.wait(60000, function() return #vim.diagnostic.get(0) == 0 end, 50), "the error goes when it is mended")
  if vim.lsp.buf.format then vim.lsp.buf.format() else vim.lsp.buf.formatting_sync(nil, 60000) end
  expect(vim.api.nvim_buf_get_lines(0, 3, 4, false)[1] == "let y = x", "the script is formatted")
  local place
  vim.wait(60000, function()
    place = ask("textDocument/definition", at(3, 8))
    return place ~= nil and place ~= vim.NIL
  end, 50)
  expect(place and place.range and place.range.start.line == 2, vim.inspect(place))
  vim.api.nvim_win_set_cursor(0, { 4, 8 })
  expect(vim.wait(60000, function() -- a text that is being checked is not changed
    pcall(vim.lsp.buf.rename, "other")
    vim.wait(300)
    return vim.api.nvim_buf_get_lines(0, 3, 4, false)[1] == "let y = other"
  end, 50), "a name is renamed")
  expect(vim.api.nvim_buf_get_lines(0, 2, 3, false)[1] == "let other = random.normal([n])", "where it is bound too")
  local lens = function()
    vim.lsp.codelens.refresh()
    vim.wait(200)
    local _, first = next(vim.lsp.codelens.get(0))
    return first and first.command.title:find("flops", 1, true)
  end
  vim.api.nvim_buf_set_lines(0, -1, -1, false, { "print(sum(other))" })
  expect(vim.wait(60000, lens, 50), "a lens says what a line costs")
end
local is_run, failure = pcall(main)
expect(is_run, tostring(failure))
vim.fn.writefile(wrong, vim.g.result)
vim.cmd("qall!")
