;;; mtf-mode.el --- Scripts of mtf, a language of tensors and layouts -*- lexical-binding: t; -*-

;; Version: 0.1.0
;; Package-Requires: ((emacs "28.1"))

;;; Commentary:

;; Colours, comments and indentation.  With eglot, M-x eglot starts `mtf lsp': errors, types, layouts and costs,
;; completion, definitions, renaming, formatting.

;;; Code:

;; words: statements
(defconst mtf-mode--statements '("assert" "break" "continue" "counters" "dim" "else" "fn" "for" "if" "import" "layout" "let" "mesh" "model" "no_grad" "option" "param" "precision" "return" "seed" "setting" "state" "use" "while" "with"))
;; words: operators
(defconst mtf-mode--operators '("and" "as" "in" "not" "or"))
;; words: constants
(defconst mtf-mode--constants '("false" "none" "true"))
;; words: types
(defconst mtf-mode--types '("bf16" "bool" "f32" "f64" "i32"))
;; words: modules
(defconst mtf-mode--modules '("checkpoint" "data" "decode" "init" "logs" "losses" "metrics" "moe" "nn" "optim" "random" "transformer" "vision"))
;; words: functions
(defconst mtf-mode--functions '("check_gradient" "custom_gradient" "ends_with" "find" "float" "grad" "int" "join" "len" "lines" "lower" "matches" "print" "recompute" "replace" "scan" "size" "split" "stacked" "starts_with" "string" "strip" "upper" "write" "zip"))

(defvar mtf-mode-syntax-table
  (let ((table (make-syntax-table)))
    (modify-syntax-entry ?# "<" table)
    (modify-syntax-entry ?\n ">" table)
    (modify-syntax-entry ?_ "w" table)
    (modify-syntax-entry ?\" "\"" table)
    table))

(defconst mtf-mode--colours
  `(("\\_<\\(?:fn\\|model\\)[ \t]+\\(\\w+\\)" 1 font-lock-function-name-face)
    (,(regexp-opt (append mtf-mode--statements mtf-mode--operators) 'symbols) . font-lock-keyword-face)
    (,(regexp-opt mtf-mode--constants 'symbols) . font-lock-constant-face)
    (,(regexp-opt mtf-mode--types 'symbols) . font-lock-type-face)
    (,(regexp-opt (append mtf-mode--modules mtf-mode--functions) 'symbols) . font-lock-builtin-face)))

(defcustom mtf-mode-indent 2
  "Blanks for each open bracket."
  :type 'integer
  :group 'languages)

(defun mtf-mode-indent-line ()
  "Indent the line by the brackets that are open where it begins."
  (interactive)
  (let ((column (save-excursion
                  (back-to-indentation)
                  (let ((depth (car (syntax-ppss))))
                    (when (looking-at "\\s)") (setq depth (1- depth)))
                    (* mtf-mode-indent (max depth 0))))))
    (if (<= (current-column) (current-indentation))
        (indent-line-to column)
      (save-excursion (indent-line-to column)))))

;;;###autoload
(define-derived-mode mtf-mode prog-mode "mtf"
  "Scripts of mtf."
  (setq-local comment-start "# ")
  (setq-local comment-end "")
  (setq-local indent-line-function #'mtf-mode-indent-line)
  (setq-local font-lock-defaults '(mtf-mode--colours)))

;;;###autoload
(add-to-list 'auto-mode-alist '("\\.mtf\\'" . mtf-mode))

(with-eval-after-load 'eglot
  (add-to-list 'eglot-server-programs '(mtf-mode . ("mtf" "lsp"))))

(provide 'mtf-mode)
;;; mtf-mode.el ends here
