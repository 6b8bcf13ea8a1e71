-- Neovim alone reads this file: it starts `mtf lsp` for scripts. `let g:mtf_lsp = v:false` in init.vim leaves that out;
-- `let g:mtf_lsp = {'mesh': 'rows:2;cols:2', 'layout': 'batch:rows'}` chooses another mesh and layout.
local options = vim.g.mtf_lsp
if options == nil or options == true or options == 1 then options = vim.empty_dict() end
local command = vim.g.mtf_command or "mtf"
if type(options) == "table" and vim.fn.executable(command) == 1 then
  local config = {
    name = "mtf",
    cmd = { command, "lsp" },
    root_dir = vim.fn.getcwd(),
    init_options = options,
  }
  if vim.lsp.start then
    vim.lsp.start(config)
  else -- before Neovim 0.8
    mtf_lsp_client = mtf_lsp_client or vim.lsp.start_client(config)
    vim.lsp.buf_attach_client(0, mtf_lsp_client)
  end
end
