
// Generated from MtfLexer.g4 by ANTLR 4.7.2

#pragma once


#include "antlr4-runtime.h"




class  MtfLexer : public antlr4::Lexer {
public:
  enum {
    INTERPOLATION_CLOSE = 1, FORMAT_COLON = 2, STRING_BROKEN = 3, LANGUAGE = 4, 
    DIM = 5, MESH = 6, LAYOUT = 7, USE = 8, OPTION = 9, SETTING = 10, WITH = 11, 
    SEED = 12, PRECISION = 13, IMPORT = 14, LET = 15, PARAM = 16, STATE = 17, 
    MODEL = 18, FN = 19, FOR = 20, WHILE = 21, IF = 22, ELSE = 23, BREAK = 24, 
    CONTINUE = 25, RETURN = 26, ASSERT = 27, COUNTERS = 28, NO_GRAD = 29, 
    F32 = 30, F64 = 31, BF16 = 32, I32 = 33, BOOL = 34, AS = 35, IN = 36, 
    AND = 37, OR = 38, NOT = 39, TRUE = 40, FALSE = 41, NONE = 42, IDENT = 43, 
    FLOAT = 44, INT = 45, PRIME = 46, LPAREN = 47, RPAREN = 48, LBRACKET = 49, 
    RBRACKET = 50, LBRACE = 51, RBRACE = 52, DEFINE = 53, COLON = 54, ARROW = 55, 
    EQUAL = 56, NOT_EQUAL = 57, LESS_EQUAL = 58, GREATER_EQUAL = 59, LESS = 60, 
    GREATER = 61, ASSIGN = 62, FLOOR_DIVIDE = 63, PLUS = 64, MINUS = 65, 
    STAR = 66, SLASH = 67, PERCENT = 68, CARET = 69, AT = 70, DOTDOT = 71, 
    DOT = 72, COMMA = 73, SEMICOLON = 74, STRING_OPEN = 75, NEWLINE = 76, 
    COMMENT = 77, SPACE = 78, UNKNOWN = 79, STRING_TEXT = 80, STRING_CLOSE = 81, 
    INTERPOLATION_OPEN = 82, BAD_ESCAPE = 83, LONE_BRACE = 84, FORMAT_TEXT = 85
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

