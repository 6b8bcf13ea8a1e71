
// Generated from MtfLexer.g4 by ANTLR 4.7.2

#pragma once


#include "antlr4-runtime.h"




class  MtfLexer : public antlr4::Lexer {
public:
  enum {
    INTERPOLATION_CLOSE = 1, FORMAT_COLON = 2, STRING_BROKEN = 3, DIM = 4, 
    MESH = 5, LAYOUT = 6, USE = 7, OPTION = 8, SETTING = 9, WITH = 10, SEED = 11, 
    PRECISION = 12, IMPORT = 13, LET = 14, PARAM = 15, STATE = 16, MODEL = 17, 
    FN = 18, FOR = 19, WHILE = 20, IF = 21, ELSE = 22, BREAK = 23, CONTINUE = 24, 
    RETURN = 25, ASSERT = 26, COUNTERS = 27, NO_GRAD = 28, F32 = 29, F64 = 30, 
    BF16 = 31, I32 = 32, BOOL = 33, AS = 34, IN = 35, AND = 36, OR = 37, 
    NOT = 38, TRUE = 39, FALSE = 40, NONE = 41, IDENT = 42, FLOAT = 43, 
    INT = 44, PRIME = 45, LPAREN = 46, RPAREN = 47, LBRACKET = 48, RBRACKET = 49, 
    LBRACE = 50, RBRACE = 51, DEFINE = 52, COLON = 53, ARROW = 54, EQUAL = 55, 
    NOT_EQUAL = 56, LESS_EQUAL = 57, GREATER_EQUAL = 58, LESS = 59, GREATER = 60, 
    ASSIGN = 61, FLOOR_DIVIDE = 62, PLUS = 63, MINUS = 64, STAR = 65, SLASH = 66, 
    PERCENT = 67, CARET = 68, AT = 69, DOTDOT = 70, DOT = 71, COMMA = 72, 
    SEMICOLON = 73, STRING_OPEN = 74, NEWLINE = 75, COMMENT = 76, SPACE = 77, 
    UNKNOWN = 78, STRING_TEXT = 79, STRING_CLOSE = 80, INTERPOLATION_OPEN = 81, 
    BAD_ESCAPE = 82, LONE_BRACE = 83, FORMAT_TEXT = 84
  };

  enum {
    STRING = 1, FORMAT = 2
  };

  MtfLexer(antlr4::CharStream *input);
  ~MtfLexer();


    // '(' '[' '{', and 'i' for the `{` of a string.
    std::vector<char> open_;

    bool in_interpolation() const { return !open_.empty() && open_.back() == 'i'; }

    void close() {
      if (!open_.empty() && open_.back() != 'i') open_.pop_back();
    }

    void close_brace() {
      if (!in_interpolation()) return close();
      open_.pop_back();
      setType(INTERPOLATION_CLOSE);
      popMode();
    }

    void colon() {
      if (!in_interpolation()) return;
      setType(FORMAT_COLON);
      setMode(FORMAT);
    }

    // In a string's `{x:=^10}` the format begins behind the colon: the `=` is given back.
    void define() {
      if (!in_interpolation()) return;
      _input->seek(_input->index() - 1);
      colon();
    }

    // `'` is part of a name only directly behind it; elsewhere it is what other languages begin a string with.
    void prime() {
      const size_t before = _input->LA(-2);
      const bool is_letter = (before >= 'a' && before <= 'z') || (before >= 'A' && before <= 'Z') || before == '_';
      if (!is_letter && !(before >= '0' && before <= '9') && before != '\'') setType(UNKNOWN);
    }

    // A string, with all that it contains, ends with its line.
    void line_end() {
      if (modeStack.empty()) return;
      while (!modeStack.empty()) popMode();
      size_t kept = 0;
      while (kept < open_.size() && open_[kept] != 'i') ++kept;
      open_.resize(kept);
      setType(STRING_BROKEN);
    }

  virtual std::string getGrammarFileName() const override;
  virtual const std::vector<std::string>& getRuleNames() const override;

  virtual const std::vector<std::string>& getChannelNames() const override;
  virtual const std::vector<std::string>& getModeNames() const override;
  virtual const std::vector<std::string>& getTokenNames() const override; // deprecated, use vocabulary instead
  virtual antlr4::dfa::Vocabulary& getVocabulary() const override;

  virtual const std::vector<uint16_t> getSerializedATN() const override;
  virtual const antlr4::atn::ATN& getATN() const override;

  virtual void action(antlr4::RuleContext *context, size_t ruleIndex, size_t actionIndex) override;
private:
  static std::vector<antlr4::dfa::DFA> _decisionToDFA;
  static antlr4::atn::PredictionContextCache _sharedContextCache;
  static std::vector<std::string> _ruleNames;
  static std::vector<std::string> _tokenNames;
  static std::vector<std::string> _channelNames;
  static std::vector<std::string> _modeNames;

  static std::vector<std::string> _literalNames;
  static std::vector<std::string> _symbolicNames;
  static antlr4::dfa::Vocabulary _vocabulary;
  static antlr4::atn::ATN _atn;
  static std::vector<uint16_t> _serializedATN;


  // Individual action functions triggered by action() above.
  void PRIMEAction(antlr4::RuleContext *context, size_t actionIndex);
  void LPARENAction(antlr4::RuleContext *context, size_t actionIndex);
  void RPARENAction(antlr4::RuleContext *context, size_t actionIndex);
  void LBRACKETAction(antlr4::RuleContext *context, size_t actionIndex);
  void RBRACKETAction(antlr4::RuleContext *context, size_t actionIndex);
  void LBRACEAction(antlr4::RuleContext *context, size_t actionIndex);
  void RBRACEAction(antlr4::RuleContext *context, size_t actionIndex);
  void DEFINEAction(antlr4::RuleContext *context, size_t actionIndex);
  void COLONAction(antlr4::RuleContext *context, size_t actionIndex);
  void NEWLINEAction(antlr4::RuleContext *context, size_t actionIndex);
  void INTERPOLATION_OPENAction(antlr4::RuleContext *context, size_t actionIndex);
  void STRING_LINE_ENDAction(antlr4::RuleContext *context, size_t actionIndex);
  void FORMAT_CLOSEAction(antlr4::RuleContext *context, size_t actionIndex);
  void FORMAT_LINE_ENDAction(antlr4::RuleContext *context, size_t actionIndex);

  // Individual semantic predicate functions triggered by sempred() above.

  struct Initializer {
    Initializer();
  };
  static Initializer _init;
};

