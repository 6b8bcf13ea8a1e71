
// Generated from MtfLexer.g4 by ANTLR 4.7.2

#pragma once


#include "antlr4-runtime.h"




class  MtfLexer : public antlr4::Lexer {
public:
  enum {
    INTERPOLATION_CLOSE = 1, FORMAT_COLON = 2, STRING_BROKEN = 3, LANGUAGE = 4, 
    COMMENT = 5, DIM = 6, MESH = 7, LAYOUT = 8, USE = 9, OPTION = 10, SETTING = 11, 
    WITH = 12, SEED = 13, PRECISION = 14, IMPORT = 15, LET = 16, PARAM = 17, 
    STATE = 18, MODEL = 19, FN = 20, FOR = 21, WHILE = 22, IF = 23, ELSE = 24, 
    BREAK = 25, CONTINUE = 26, RETURN = 27, ASSERT = 28, COUNTERS = 29, 
    NO_GRAD = 30, F32 = 31, F64 = 32, BF16 = 33, I32 = 34, BOOL = 35, AS = 36, 
    IN = 37, AND = 38, OR = 39, NOT = 40, TRUE = 41, FALSE = 42, NONE = 43, 
    IDENT = 44, FLOAT = 45, INT = 46, PRIME = 47, LPAREN = 48, RPAREN = 49, 
    LBRACKET = 50, RBRACKET = 51, LBRACE = 52, RBRACE = 53, DEFINE = 54, 
    COLON = 55, ARROW = 56, EQUAL = 57, NOT_EQUAL = 58, LESS_EQUAL = 59, 
    GREATER_EQUAL = 60, LESS = 61, GREATER = 62, ASSIGN = 63, FLOOR_DIVIDE = 64, 
    PLUS = 65, MINUS = 66, STAR = 67, SLASH = 68, PERCENT = 69, CARET = 70, 
    AT = 71, DOTDOT = 72, DOT = 73, COMMA = 74, SEMICOLON = 75, STRING_OPEN = 76, 
    NEWLINE = 77, UNKNOWN = 78, STRING_TEXT = 79, STRING_CLOSE = 80, INTERPOLATION_OPEN = 81, 
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

