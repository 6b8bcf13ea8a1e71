
// Generated from MtfParser.g4 by ANTLR 4.7.2

#pragma once


#include "antlr4-runtime.h"




class  MtfParser : public antlr4::Parser {
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
    RuleProgram = 0, RuleStatement = 1, RuleBody = 2, RuleBlock = 3, RuleLanguage_statement = 4, 
    RuleDim_statement = 5, RuleDim_item = 6, RuleMesh_statement = 7, RuleMesh_literal = 8, 
    RuleMesh_axis = 9, RuleLayout_statement = 10, RuleUse_statement = 11, 
    RuleOption_statement = 12, RuleSetting_statement = 13, RuleWith_statement = 14, 
    RuleWith_item = 15, RuleSeed_statement = 16, RulePrecision_statement = 17, 
    RuleImport_statement = 18, RuleImport_item = 19, RuleLet_statement = 20, 
    RuleParam_statement = 21, RuleFn_statement = 22, RuleModel_statement = 23, 
    RuleFor_statement = 24, RuleWhile_statement = 25, RuleBreak_statement = 26, 
    RuleContinue_statement = 27, RuleReturn_statement = 28, RuleAssert_statement = 29, 
    RuleNo_grad_statement = 30, RuleExpr_statement = 31, RulePattern = 32, 
    RulePatterns = 33, RuleParameters = 34, RuleParameter = 35, RuleAnnotation = 36, 
    RuleAnnotation_word = 37, RuleShape = 38, RuleShape_item = 39, RuleStored_type = 40, 
    RuleElement_type = 41, RuleLayout_ref = 42, RuleLayout_literal = 43, 
    RuleLayout_item = 44, RulePath = 45, RulePath_with_index = 46, RulePath_step = 47, 
    RuleExpr = 48, RulePrimary = 49, RuleIf_else = 50, RuleParens = 51, 
    RuleList = 52, RuleComprehension_loop = 53, RuleList_item = 54, RuleArguments = 55, 
    RuleArgument = 56, RuleIndex_arguments = 57, RuleIndex_argument = 58, 
    RuleString = 59, RuleInterpolation = 60, RuleAny_word = 61, RulePrecision_word = 62
  };

  MtfParser(antlr4::TokenStream *input);
  ~MtfParser();

  virtual std::string getGrammarFileName() const override;
  virtual const antlr4::atn::ATN& getATN() const override { return _atn; };
  virtual const std::vector<std::string>& getTokenNames() const override { return _tokenNames; }; // deprecated: use vocabulary instead.
  virtual const std::vector<std::string>& getRuleNames() const override;
  virtual antlr4::dfa::Vocabulary& getVocabulary() const override;


  class ProgramContext;
  class StatementContext;
  class BodyContext;
  class BlockContext;
  class Language_statementContext;
  class Dim_statementContext;
  class Dim_itemContext;
  class Mesh_statementContext;
  class Mesh_literalContext;
  class Mesh_axisContext;
  class Layout_statementContext;
  class Use_statementContext;
  class Option_statementContext;
  class Setting_statementContext;
  class With_statementContext;
  class With_itemContext;
  class Seed_statementContext;
  class Precision_statementContext;
  class Import_statementContext;
  class Import_itemContext;
  class Let_statementContext;
  class Param_statementContext;
  class Fn_statementContext;
  class Model_statementContext;
  class For_statementContext;
  class While_statementContext;
  class Break_statementContext;
  class Continue_statementContext;
  class Return_statementContext;
  class Assert_statementContext;
  class No_grad_statementContext;
  class Expr_statementContext;
  class PatternContext;
  class PatternsContext;
  class ParametersContext;
  class ParameterContext;
  class AnnotationContext;
  class Annotation_wordContext;
  class ShapeContext;
  class Shape_itemContext;
  class Stored_typeContext;
  class Element_typeContext;
  class Layout_refContext;
  class Layout_literalContext;
  class Layout_itemContext;
  class PathContext;
  class Path_with_indexContext;
  class Path_stepContext;
  class ExprContext;
  class PrimaryContext;
  class If_elseContext;
  class ParensContext;
  class ListContext;
  class Comprehension_loopContext;
  class List_itemContext;
  class ArgumentsContext;
  class ArgumentContext;
  class Index_argumentsContext;
  class Index_argumentContext;
  class StringContext;
  class InterpolationContext;
  class Any_wordContext;
  class Precision_wordContext; 

  class  ProgramContext : public antlr4::ParserRuleContext {
  public:
    ProgramContext(antlr4::ParserRuleContext *parent, size_t invokingState);
    virtual size_t getRuleIndex() const override;
    antlr4::tree::TerminalNode *EOF();
    std::vector<StatementContext *> statement();
    StatementContext* statement(size_t i);

   
  };

  ProgramContext* program();

  class  StatementContext : public antlr4::ParserRuleContext {
  public:
    StatementContext(antlr4::ParserRuleContext *parent, size_t invokingState);
    virtual size_t getRuleIndex() const override;
    BodyContext *body();
    antlr4::tree::TerminalNode *NEWLINE();

   
  };

  StatementContext* statement();

  class  BodyContext : public antlr4::ParserRuleContext {
  public:
    BodyContext(antlr4::ParserRuleContext *parent, size_t invokingState);
    virtual size_t getRuleIndex() const override;
    Language_statementContext *language_statement();
    Dim_statementContext *dim_statement();
    Mesh_statementContext *mesh_statement();
    Layout_statementContext *layout_statement();
    Use_statementContext *use_statement();
    Option_statementContext *option_statement();
    Setting_statementContext *setting_statement();
    With_statementContext *with_statement();
    Seed_statementContext *seed_statement();
    Precision_statementContext *precision_statement();
    Import_statementContext *import_statement();
    Let_statementContext *let_statement();
    Param_statementContext *param_statement();
    Fn_statementContext *fn_statement();
    Model_statementContext *model_statement();
    For_statementContext *for_statement();
    While_statementContext *while_statement();
    Break_statementContext *break_statement();
    Continue_statementContext *continue_statement();
    Return_statementContext *return_statement();
    Assert_statementContext *assert_statement();
    No_grad_statementContext *no_grad_statement();
    Expr_statementContext *expr_statement();

   
  };

  BodyContext* body();

  class  BlockContext : public antlr4::ParserRuleContext {
  public:
    BlockContext(antlr4::ParserRuleContext *parent, size_t invokingState);
    virtual size_t getRuleIndex() const override;
    antlr4::tree::TerminalNode *LBRACE();
    antlr4::tree::TerminalNode *RBRACE();
    std::vector<StatementContext *> statement();
    StatementContext* statement(size_t i);

   
  };

  BlockContext* block();

  class  Language_statementContext : public antlr4::ParserRuleContext {
  public:
    Language_statementContext(antlr4::ParserRuleContext *parent, size_t invokingState);
    virtual size_t getRuleIndex() const override;
    antlr4::tree::TerminalNode *LANGUAGE();
    antlr4::tree::TerminalNode *INT();

   
  };

  Language_statementContext* language_statement();

  class  Dim_statementContext : public antlr4::ParserRuleContext {
  public:
    Dim_statementContext(antlr4::ParserRuleContext *parent, size_t invokingState);
    virtual size_t getRuleIndex() const override;
    antlr4::tree::TerminalNode *DIM();
    std::vector<Dim_itemContext *> dim_item();
    Dim_itemContext* dim_item(size_t i);
    std::vector<antlr4::tree::TerminalNode *> COMMA();
    antlr4::tree::TerminalNode* COMMA(size_t i);

   
  };

  Dim_statementContext* dim_statement();

  class  Dim_itemContext : public antlr4::ParserRuleContext {
  public:
    Dim_itemContext(antlr4::ParserRuleContext *parent, size_t invokingState);
    virtual size_t getRuleIndex() const override;
    antlr4::tree::TerminalNode *IDENT();
    antlr4::tree::TerminalNode *ASSIGN();
    ExprContext *expr();

   
  };

  Dim_itemContext* dim_item();

  class  Mesh_statementContext : public antlr4::ParserRuleContext {
  public:
    Mesh_statementContext(antlr4::ParserRuleContext *parent, size_t invokingState);
    virtual size_t getRuleIndex() const override;
    antlr4::tree::TerminalNode *MESH();
    antlr4::tree::TerminalNode *IDENT();
    antlr4::tree::TerminalNode *ASSIGN();
    Mesh_literalContext *mesh_literal();

   
  };

  Mesh_statementContext* mesh_statement();

  class  Mesh_literalContext : public antlr4::ParserRuleContext {
  public:
    Mesh_literalContext(antlr4::ParserRuleContext *parent, size_t invokingState);
    virtual size_t getRuleIndex() const override;
    antlr4::tree::TerminalNode *LBRACKET();
    antlr4::tree::TerminalNode *RBRACKET();
    std::vector<Mesh_axisContext *> mesh_axis();
    Mesh_axisContext* mesh_axis(size_t i);
    std::vector<antlr4::tree::TerminalNode *> COMMA();
    antlr4::tree::TerminalNode* COMMA(size_t i);

   
  };

  Mesh_literalContext* mesh_literal();

  class  Mesh_axisContext : public antlr4::ParserRuleContext {
  public:
    Mesh_axisContext(antlr4::ParserRuleContext *parent, size_t invokingState);
    virtual size_t getRuleIndex() const override;
    Any_wordContext *any_word();
    antlr4::tree::TerminalNode *COLON();
    ExprContext *expr();

   
  };

  Mesh_axisContext* mesh_axis();

  class  Layout_statementContext : public antlr4::ParserRuleContext {
  public:
    Layout_statementContext(antlr4::ParserRuleContext *parent, size_t invokingState);
    virtual size_t getRuleIndex() const override;
    antlr4::tree::TerminalNode *LAYOUT();
    antlr4::tree::TerminalNode *IDENT();
    antlr4::tree::TerminalNode *ASSIGN();
    Layout_literalContext *layout_literal();

   
  };

  Layout_statementContext* layout_statement();

  class  Use_statementContext : public antlr4::ParserRuleContext {
  public:
    Use_statementContext(antlr4::ParserRuleContext *parent, size_t invokingState);
    virtual size_t getRuleIndex() const override;
    antlr4::tree::TerminalNode *USE();
    PathContext *path();
    Layout_literalContext *layout_literal();
    Mesh_literalContext *mesh_literal();

   
  };

  Use_statementContext* use_statement();

  class  Option_statementContext : public antlr4::ParserRuleContext {
  public:
    Option_statementContext(antlr4::ParserRuleContext *parent, size_t invokingState);
    virtual size_t getRuleIndex() const override;
    antlr4::tree::TerminalNode *OPTION();
    antlr4::tree::TerminalNode *IDENT();
    antlr4::tree::TerminalNode *ASSIGN();
    ExprContext *expr();

   
  };

  Option_statementContext* option_statement();

  class  Setting_statementContext : public antlr4::ParserRuleContext {
  public:
    Setting_statementContext(antlr4::ParserRuleContext *parent, size_t invokingState);
    virtual size_t getRuleIndex() const override;
    antlr4::tree::TerminalNode *SETTING();
    antlr4::tree::TerminalNode *IDENT();
    antlr4::tree::TerminalNode *ASSIGN();
    ExprContext *expr();

   
  };

  Setting_statementContext* setting_statement();

  class  With_statementContext : public antlr4::ParserRuleContext {
  public:
    With_statementContext(antlr4::ParserRuleContext *parent, size_t invokingState);
    virtual size_t getRuleIndex() const override;
    antlr4::tree::TerminalNode *WITH();
    With_itemContext *with_item();
    BlockContext *block();

   
  };

  With_statementContext* with_statement();

  class  With_itemContext : public antlr4::ParserRuleContext {
  public:
    With_itemContext(antlr4::ParserRuleContext *parent, size_t invokingState);
    virtual size_t getRuleIndex() const override;
    antlr4::tree::TerminalNode *LAYOUT();
    PathContext *path();
    Layout_literalContext *layout_literal();
    antlr4::tree::TerminalNode *MESH();
    Mesh_literalContext *mesh_literal();
    antlr4::tree::TerminalNode *PRECISION();
    Precision_wordContext *precision_word();
    antlr4::tree::TerminalNode *SEED();
    ExprContext *expr();
    antlr4::tree::TerminalNode *ASSIGN();

   
  };

  With_itemContext* with_item();

  class  Seed_statementContext : public antlr4::ParserRuleContext {
  public:
    Seed_statementContext(antlr4::ParserRuleContext *parent, size_t invokingState);
    virtual size_t getRuleIndex() const override;
    antlr4::tree::TerminalNode *SEED();
    ExprContext *expr();

   
  };

  Seed_statementContext* seed_statement();

  class  Precision_statementContext : public antlr4::ParserRuleContext {
  public:
    Precision_statementContext(antlr4::ParserRuleContext *parent, size_t invokingState);
    virtual size_t getRuleIndex() const override;
    antlr4::tree::TerminalNode *PRECISION();
    Precision_wordContext *precision_word();

   
  };

  Precision_statementContext* precision_statement();

  class  Import_statementContext : public antlr4::ParserRuleContext {
  public:
    Import_statementContext(antlr4::ParserRuleContext *parent, size_t invokingState);
    virtual size_t getRuleIndex() const override;
    antlr4::tree::TerminalNode *IMPORT();
    std::vector<Import_itemContext *> import_item();
    Import_itemContext* import_item(size_t i);
    std::vector<antlr4::tree::TerminalNode *> COMMA();
    antlr4::tree::TerminalNode* COMMA(size_t i);

   
  };

  Import_statementContext* import_statement();

  class  Import_itemContext : public antlr4::ParserRuleContext {
  public:
    Import_itemContext(antlr4::ParserRuleContext *parent, size_t invokingState);
    virtual size_t getRuleIndex() const override;
    std::vector<antlr4::tree::TerminalNode *> IDENT();
    antlr4::tree::TerminalNode* IDENT(size_t i);
    StringContext *string();
    antlr4::tree::TerminalNode *AS();

   
  };

  Import_itemContext* import_item();

  class  Let_statementContext : public antlr4::ParserRuleContext {
  public:
    Let_statementContext(antlr4::ParserRuleContext *parent, size_t invokingState);
    virtual size_t getRuleIndex() const override;
    antlr4::tree::TerminalNode *LET();
    PatternsContext *patterns();
    antlr4::tree::TerminalNode *ASSIGN();
    ExprContext *expr();
    antlr4::tree::TerminalNode *COLON();
    AnnotationContext *annotation();

   
  };

  Let_statementContext* let_statement();

  class  Param_statementContext : public antlr4::ParserRuleContext {
  public:
    Param_statementContext(antlr4::ParserRuleContext *parent, size_t invokingState);
    virtual size_t getRuleIndex() const override;
    antlr4::tree::TerminalNode *IDENT();
    antlr4::tree::TerminalNode *COLON();
    Stored_typeContext *stored_type();
    antlr4::tree::TerminalNode *ASSIGN();
    ExprContext *expr();
    antlr4::tree::TerminalNode *PARAM();
    antlr4::tree::TerminalNode *STATE();
    antlr4::tree::TerminalNode *AT();
    Layout_refContext *layout_ref();

   
  };

  Param_statementContext* param_statement();

  class  Fn_statementContext : public antlr4::ParserRuleContext {
  public:
    Fn_statementContext(antlr4::ParserRuleContext *parent, size_t invokingState);
    virtual size_t getRuleIndex() const override;
    antlr4::tree::TerminalNode *FN();
    antlr4::tree::TerminalNode *IDENT();
    antlr4::tree::TerminalNode *LPAREN();
    antlr4::tree::TerminalNode *RPAREN();
    BlockContext *block();
    antlr4::tree::TerminalNode *ASSIGN();
    ExprContext *expr();
    ParametersContext *parameters();
    antlr4::tree::TerminalNode *ARROW();
    AnnotationContext *annotation();

   
  };

  Fn_statementContext* fn_statement();

  class  Model_statementContext : public antlr4::ParserRuleContext {
  public:
    Model_statementContext(antlr4::ParserRuleContext *parent, size_t invokingState);
    virtual size_t getRuleIndex() const override;
    antlr4::tree::TerminalNode *MODEL();
    antlr4::tree::TerminalNode *IDENT();
    BlockContext *block();
    antlr4::tree::TerminalNode *LPAREN();
    antlr4::tree::TerminalNode *RPAREN();
    ParametersContext *parameters();

   
  };

  Model_statementContext* model_statement();

  class  For_statementContext : public antlr4::ParserRuleContext {
  public:
    For_statementContext(antlr4::ParserRuleContext *parent, size_t invokingState);
    virtual size_t getRuleIndex() const override;
    antlr4::tree::TerminalNode *FOR();
    PatternsContext *patterns();
    antlr4::tree::TerminalNode *IN();
    ExprContext *expr();
    BlockContext *block();

   
  };

  For_statementContext* for_statement();

  class  While_statementContext : public antlr4::ParserRuleContext {
  public:
    While_statementContext(antlr4::ParserRuleContext *parent, size_t invokingState);
    virtual size_t getRuleIndex() const override;
    antlr4::tree::TerminalNode *WHILE();
    ExprContext *expr();
    BlockContext *block();

   
  };

  While_statementContext* while_statement();

  class  Break_statementContext : public antlr4::ParserRuleContext {
  public:
    Break_statementContext(antlr4::ParserRuleContext *parent, size_t invokingState);
    virtual size_t getRuleIndex() const override;
    antlr4::tree::TerminalNode *BREAK();

   
  };

  Break_statementContext* break_statement();

  class  Continue_statementContext : public antlr4::ParserRuleContext {
  public:
    Continue_statementContext(antlr4::ParserRuleContext *parent, size_t invokingState);
    virtual size_t getRuleIndex() const override;
    antlr4::tree::TerminalNode *CONTINUE();

   
  };

  Continue_statementContext* continue_statement();

  class  Return_statementContext : public antlr4::ParserRuleContext {
  public:
    Return_statementContext(antlr4::ParserRuleContext *parent, size_t invokingState);
    virtual size_t getRuleIndex() const override;
    antlr4::tree::TerminalNode *RETURN();
    std::vector<ExprContext *> expr();
    ExprContext* expr(size_t i);
    std::vector<antlr4::tree::TerminalNode *> COMMA();
    antlr4::tree::TerminalNode* COMMA(size_t i);

   
  };

  Return_statementContext* return_statement();

  class  Assert_statementContext : public antlr4::ParserRuleContext {
  public:
    Assert_statementContext(antlr4::ParserRuleContext *parent, size_t invokingState);
    virtual size_t getRuleIndex() const override;
    antlr4::tree::TerminalNode *ASSERT();
    std::vector<ExprContext *> expr();
    ExprContext* expr(size_t i);
    antlr4::tree::TerminalNode *COMMA();

   
  };

  Assert_statementContext* assert_statement();

  class  No_grad_statementContext : public antlr4::ParserRuleContext {
  public:
    No_grad_statementContext(antlr4::ParserRuleContext *parent, size_t invokingState);
    virtual size_t getRuleIndex() const override;
    antlr4::tree::TerminalNode *NO_GRAD();
    BlockContext *block();

   
  };

  No_grad_statementContext* no_grad_statement();

  class  Expr_statementContext : public antlr4::ParserRuleContext {
  public:
    Expr_statementContext(antlr4::ParserRuleContext *parent, size_t invokingState);
    virtual size_t getRuleIndex() const override;
    std::vector<ExprContext *> expr();
    ExprContext* expr(size_t i);
    antlr4::tree::TerminalNode *DEFINE();

   
  };

  Expr_statementContext* expr_statement();

  class  PatternContext : public antlr4::ParserRuleContext {
  public:
    PatternContext(antlr4::ParserRuleContext *parent, size_t invokingState);
    virtual size_t getRuleIndex() const override;
    antlr4::tree::TerminalNode *IDENT();
    antlr4::tree::TerminalNode *LPAREN();
    std::vector<PatternContext *> pattern();
    PatternContext* pattern(size_t i);
    antlr4::tree::TerminalNode *RPAREN();
    std::vector<antlr4::tree::TerminalNode *> COMMA();
    antlr4::tree::TerminalNode* COMMA(size_t i);

   
  };

  PatternContext* pattern();

  class  PatternsContext : public antlr4::ParserRuleContext {
  public:
    PatternsContext(antlr4::ParserRuleContext *parent, size_t invokingState);
    virtual size_t getRuleIndex() const override;
    std::vector<PatternContext *> pattern();
    PatternContext* pattern(size_t i);
    std::vector<antlr4::tree::TerminalNode *> COMMA();
    antlr4::tree::TerminalNode* COMMA(size_t i);

   
  };

  PatternsContext* patterns();

  class  ParametersContext : public antlr4::ParserRuleContext {
  public:
    ParametersContext(antlr4::ParserRuleContext *parent, size_t invokingState);
    virtual size_t getRuleIndex() const override;
    std::vector<ParameterContext *> parameter();
    ParameterContext* parameter(size_t i);
    std::vector<antlr4::tree::TerminalNode *> COMMA();
    antlr4::tree::TerminalNode* COMMA(size_t i);

   
  };

  ParametersContext* parameters();

  class  ParameterContext : public antlr4::ParserRuleContext {
  public:
    ParameterContext(antlr4::ParserRuleContext *parent, size_t invokingState);
    virtual size_t getRuleIndex() const override;
    antlr4::tree::TerminalNode *IDENT();
    antlr4::tree::TerminalNode *COLON();
    AnnotationContext *annotation();
    antlr4::tree::TerminalNode *ASSIGN();
    ExprContext *expr();

   
  };

  ParameterContext* parameter();

  class  AnnotationContext : public antlr4::ParserRuleContext {
  public:
    AnnotationContext(antlr4::ParserRuleContext *parent, size_t invokingState);
    virtual size_t getRuleIndex() const override;
    ShapeContext *shape();
    Annotation_wordContext *annotation_word();

   
  };

  AnnotationContext* annotation();

  class  Annotation_wordContext : public antlr4::ParserRuleContext {
  public:
    Annotation_wordContext(antlr4::ParserRuleContext *parent, size_t invokingState);
    virtual size_t getRuleIndex() const override;
    antlr4::tree::TerminalNode *IDENT();
    antlr4::tree::TerminalNode *DIM();
    antlr4::tree::TerminalNode *MODEL();
    antlr4::tree::TerminalNode *FN();
    Element_typeContext *element_type();

   
  };

  Annotation_wordContext* annotation_word();

  class  ShapeContext : public antlr4::ParserRuleContext {
  public:
    ShapeContext(antlr4::ParserRuleContext *parent, size_t invokingState);
    virtual size_t getRuleIndex() const override;
    antlr4::tree::TerminalNode *LBRACKET();
    antlr4::tree::TerminalNode *RBRACKET();
    Element_typeContext *element_type();
    std::vector<Shape_itemContext *> shape_item();
    Shape_itemContext* shape_item(size_t i);
    std::vector<antlr4::tree::TerminalNode *> COMMA();
    antlr4::tree::TerminalNode* COMMA(size_t i);

   
  };

  ShapeContext* shape();

  class  Shape_itemContext : public antlr4::ParserRuleContext {
  public:
    Shape_itemContext(antlr4::ParserRuleContext *parent, size_t invokingState);
    virtual size_t getRuleIndex() const override;
    antlr4::tree::TerminalNode *DOTDOT();
    ExprContext *expr();

   
  };

  Shape_itemContext* shape_item();

  class  Stored_typeContext : public antlr4::ParserRuleContext {
  public:
    Stored_typeContext(antlr4::ParserRuleContext *parent, size_t invokingState);
    virtual size_t getRuleIndex() const override;
    ShapeContext *shape();
    antlr4::tree::TerminalNode *IDENT();
    Path_with_indexContext *path_with_index();
    Element_typeContext *element_type();

   
  };

  Stored_typeContext* stored_type();

  class  Element_typeContext : public antlr4::ParserRuleContext {
  public:
    Element_typeContext(antlr4::ParserRuleContext *parent, size_t invokingState);
    virtual size_t getRuleIndex() const override;
    antlr4::tree::TerminalNode *F32();
    antlr4::tree::TerminalNode *F64();
    antlr4::tree::TerminalNode *BF16();
    antlr4::tree::TerminalNode *I32();
    antlr4::tree::TerminalNode *BOOL();

   
  };

  Element_typeContext* element_type();

  class  Layout_refContext : public antlr4::ParserRuleContext {
  public:
    Layout_refContext(antlr4::ParserRuleContext *parent, size_t invokingState);
    virtual size_t getRuleIndex() const override;
    Layout_literalContext *layout_literal();
    antlr4::tree::TerminalNode *IDENT();
    antlr4::tree::TerminalNode *DOT();
    Any_wordContext *any_word();

   
  };

  Layout_refContext* layout_ref();

  class  Layout_literalContext : public antlr4::ParserRuleContext {
  public:
    Layout_literalContext(antlr4::ParserRuleContext *parent, size_t invokingState);
    virtual size_t getRuleIndex() const override;
    antlr4::tree::TerminalNode *LBRACE();
    antlr4::tree::TerminalNode *RBRACE();
    std::vector<Layout_itemContext *> layout_item();
    Layout_itemContext* layout_item(size_t i);
    std::vector<antlr4::tree::TerminalNode *> COMMA();
    antlr4::tree::TerminalNode* COMMA(size_t i);

   
  };

  Layout_literalContext* layout_literal();

  class  Layout_itemContext : public antlr4::ParserRuleContext {
  public:
    Layout_itemContext(antlr4::ParserRuleContext *parent, size_t invokingState);
    virtual size_t getRuleIndex() const override;
    antlr4::tree::TerminalNode *DOTDOT();
    antlr4::tree::TerminalNode *IDENT();
    antlr4::tree::TerminalNode *ARROW();
    std::vector<Any_wordContext *> any_word();
    Any_wordContext* any_word(size_t i);
    antlr4::tree::TerminalNode *LBRACKET();
    antlr4::tree::TerminalNode *RBRACKET();
    std::vector<antlr4::tree::TerminalNode *> PRIME();
    antlr4::tree::TerminalNode* PRIME(size_t i);
    std::vector<antlr4::tree::TerminalNode *> COMMA();
    antlr4::tree::TerminalNode* COMMA(size_t i);
    StringContext *string();
    antlr4::tree::TerminalNode *COLON();
    Layout_literalContext *layout_literal();

   
  };

  Layout_itemContext* layout_item();

  class  PathContext : public antlr4::ParserRuleContext {
  public:
    PathContext(antlr4::ParserRuleContext *parent, size_t invokingState);
    virtual size_t getRuleIndex() const override;
    antlr4::tree::TerminalNode *IDENT();
    std::vector<antlr4::tree::TerminalNode *> DOT();
    antlr4::tree::TerminalNode* DOT(size_t i);
    std::vector<Any_wordContext *> any_word();
    Any_wordContext* any_word(size_t i);

   
  };

  PathContext* path();

  class  Path_with_indexContext : public antlr4::ParserRuleContext {
  public:
    Path_with_indexContext(antlr4::ParserRuleContext *parent, size_t invokingState);
    virtual size_t getRuleIndex() const override;
    antlr4::tree::TerminalNode *IDENT();
    std::vector<Path_stepContext *> path_step();
    Path_stepContext* path_step(size_t i);

   
  };

  Path_with_indexContext* path_with_index();

  class  Path_stepContext : public antlr4::ParserRuleContext {
  public:
    Path_stepContext(antlr4::ParserRuleContext *parent, size_t invokingState);
    virtual size_t getRuleIndex() const override;
    antlr4::tree::TerminalNode *DOT();
    Any_wordContext *any_word();
    antlr4::tree::TerminalNode *LBRACKET();
    ExprContext *expr();
    antlr4::tree::TerminalNode *RBRACKET();

   
  };

  Path_stepContext* path_step();

  class  ExprContext : public antlr4::ParserRuleContext {
  public:
    ExprContext(antlr4::ParserRuleContext *parent, size_t invokingState);
   
    ExprContext() = default;
    void copyFrom(ExprContext *context);
    using antlr4::ParserRuleContext::copyFrom;

    virtual size_t getRuleIndex() const override;

   
  };

  class  Unary_exprContext : public ExprContext {
  public:
    Unary_exprContext(ExprContext *ctx);

    antlr4::Token *op = nullptr;
    ExprContext *expr();
    antlr4::tree::TerminalNode *MINUS();
    antlr4::tree::TerminalNode *NOT();
  };

  class  Binary_exprContext : public ExprContext {
  public:
    Binary_exprContext(ExprContext *ctx);

    antlr4::Token *op = nullptr;
    std::vector<ExprContext *> expr();
    ExprContext* expr(size_t i);
    antlr4::tree::TerminalNode *CARET();
    antlr4::tree::TerminalNode *STAR();
    antlr4::tree::TerminalNode *SLASH();
    antlr4::tree::TerminalNode *FLOOR_DIVIDE();
    antlr4::tree::TerminalNode *PERCENT();
    antlr4::tree::TerminalNode *PLUS();
    antlr4::tree::TerminalNode *MINUS();
    antlr4::tree::TerminalNode *EQUAL();
    antlr4::tree::TerminalNode *NOT_EQUAL();
    antlr4::tree::TerminalNode *LESS();
    antlr4::tree::TerminalNode *LESS_EQUAL();
    antlr4::tree::TerminalNode *GREATER();
    antlr4::tree::TerminalNode *GREATER_EQUAL();
    antlr4::tree::TerminalNode *IN();
    antlr4::tree::TerminalNode *AND();
    antlr4::tree::TerminalNode *OR();
  };

  class  Index_exprContext : public ExprContext {
  public:
    Index_exprContext(ExprContext *ctx);

    ExprContext *expr();
    antlr4::tree::TerminalNode *LBRACKET();
    Index_argumentsContext *index_arguments();
    antlr4::tree::TerminalNode *RBRACKET();
  };

  class  Lambda_exprContext : public ExprContext {
  public:
    Lambda_exprContext(ExprContext *ctx);

    antlr4::tree::TerminalNode *FN();
    antlr4::tree::TerminalNode *LPAREN();
    antlr4::tree::TerminalNode *RPAREN();
    BlockContext *block();
    antlr4::tree::TerminalNode *ASSIGN();
    ExprContext *expr();
    ParametersContext *parameters();
    antlr4::tree::TerminalNode *ARROW();
    AnnotationContext *annotation();
  };

  class  At_exprContext : public ExprContext {
  public:
    At_exprContext(ExprContext *ctx);

    ExprContext *expr();
    antlr4::tree::TerminalNode *AT();
    Layout_refContext *layout_ref();
  };

  class  Call_exprContext : public ExprContext {
  public:
    Call_exprContext(ExprContext *ctx);

    ExprContext *expr();
    antlr4::tree::TerminalNode *LPAREN();
    antlr4::tree::TerminalNode *RPAREN();
    ArgumentsContext *arguments();
  };

  class  Attribute_exprContext : public ExprContext {
  public:
    Attribute_exprContext(ExprContext *ctx);

    ExprContext *expr();
    antlr4::tree::TerminalNode *DOT();
    Any_wordContext *any_word();
  };

  class  Primary_exprContext : public ExprContext {
  public:
    Primary_exprContext(ExprContext *ctx);

    PrimaryContext *primary();
  };

  class  Range_exprContext : public ExprContext {
  public:
    Range_exprContext(ExprContext *ctx);

    std::vector<ExprContext *> expr();
    ExprContext* expr(size_t i);
    antlr4::tree::TerminalNode *DOTDOT();
  };

  ExprContext* expr();
  ExprContext* expr(int precedence);
  class  PrimaryContext : public antlr4::ParserRuleContext {
  public:
    PrimaryContext(antlr4::ParserRuleContext *parent, size_t invokingState);
    virtual size_t getRuleIndex() const override;
    antlr4::tree::TerminalNode *IDENT();
    std::vector<antlr4::tree::TerminalNode *> PRIME();
    antlr4::tree::TerminalNode* PRIME(size_t i);
    antlr4::tree::TerminalNode *INT();
    antlr4::tree::TerminalNode *FLOAT();
    antlr4::tree::TerminalNode *TRUE();
    antlr4::tree::TerminalNode *FALSE();
    antlr4::tree::TerminalNode *NONE();
    Element_typeContext *element_type();
    StringContext *string();
    ParensContext *parens();
    ListContext *list();
    antlr4::tree::TerminalNode *COUNTERS();
    BlockContext *block();
    If_elseContext *if_else();

   
  };

  PrimaryContext* primary();

  class  If_elseContext : public antlr4::ParserRuleContext {
  public:
    If_elseContext(antlr4::ParserRuleContext *parent, size_t invokingState);
    virtual size_t getRuleIndex() const override;
    std::vector<antlr4::tree::TerminalNode *> IF();
    antlr4::tree::TerminalNode* IF(size_t i);
    std::vector<ExprContext *> expr();
    ExprContext* expr(size_t i);
    std::vector<BlockContext *> block();
    BlockContext* block(size_t i);
    std::vector<antlr4::tree::TerminalNode *> ELSE();
    antlr4::tree::TerminalNode* ELSE(size_t i);

   
  };

  If_elseContext* if_else();

  class  ParensContext : public antlr4::ParserRuleContext {
  public:
    ParensContext(antlr4::ParserRuleContext *parent, size_t invokingState);
    virtual size_t getRuleIndex() const override;
    antlr4::tree::TerminalNode *LPAREN();
    std::vector<ExprContext *> expr();
    ExprContext* expr(size_t i);
    antlr4::tree::TerminalNode *RPAREN();
    std::vector<antlr4::tree::TerminalNode *> COMMA();
    antlr4::tree::TerminalNode* COMMA(size_t i);

   
  };

  ParensContext* parens();

  class  ListContext : public antlr4::ParserRuleContext {
  public:
    ListContext(antlr4::ParserRuleContext *parent, size_t invokingState);
    virtual size_t getRuleIndex() const override;
    antlr4::tree::TerminalNode *LBRACKET();
    antlr4::tree::TerminalNode *RBRACKET();
    std::vector<List_itemContext *> list_item();
    List_itemContext* list_item(size_t i);
    std::vector<Comprehension_loopContext *> comprehension_loop();
    Comprehension_loopContext* comprehension_loop(size_t i);
    std::vector<antlr4::tree::TerminalNode *> COMMA();
    antlr4::tree::TerminalNode* COMMA(size_t i);

   
  };

  ListContext* list();

  class  Comprehension_loopContext : public antlr4::ParserRuleContext {
  public:
    Comprehension_loopContext(antlr4::ParserRuleContext *parent, size_t invokingState);
    virtual size_t getRuleIndex() const override;
    antlr4::tree::TerminalNode *FOR();
    PatternsContext *patterns();
    antlr4::tree::TerminalNode *IN();
    std::vector<ExprContext *> expr();
    ExprContext* expr(size_t i);
    std::vector<antlr4::tree::TerminalNode *> IF();
    antlr4::tree::TerminalNode* IF(size_t i);

   
  };

  Comprehension_loopContext* comprehension_loop();

  class  List_itemContext : public antlr4::ParserRuleContext {
  public:
    List_itemContext(antlr4::ParserRuleContext *parent, size_t invokingState);
    virtual size_t getRuleIndex() const override;
    antlr4::tree::TerminalNode *DOTDOT();
    ExprContext *expr();

   
  };

  List_itemContext* list_item();

  class  ArgumentsContext : public antlr4::ParserRuleContext {
  public:
    ArgumentsContext(antlr4::ParserRuleContext *parent, size_t invokingState);
    virtual size_t getRuleIndex() const override;
    std::vector<ArgumentContext *> argument();
    ArgumentContext* argument(size_t i);
    std::vector<antlr4::tree::TerminalNode *> COMMA();
    antlr4::tree::TerminalNode* COMMA(size_t i);

   
  };

  ArgumentsContext* arguments();

  class  ArgumentContext : public antlr4::ParserRuleContext {
  public:
    ArgumentContext(antlr4::ParserRuleContext *parent, size_t invokingState);
    virtual size_t getRuleIndex() const override;
    std::vector<ExprContext *> expr();
    ExprContext* expr(size_t i);
    Any_wordContext *any_word();
    antlr4::tree::TerminalNode *COLON();
    antlr4::tree::TerminalNode *ARROW();
    std::vector<antlr4::tree::TerminalNode *> PRIME();
    antlr4::tree::TerminalNode* PRIME(size_t i);

   
  };

  ArgumentContext* argument();

  class  Index_argumentsContext : public antlr4::ParserRuleContext {
  public:
    Index_argumentsContext(antlr4::ParserRuleContext *parent, size_t invokingState);
    virtual size_t getRuleIndex() const override;
    std::vector<Index_argumentContext *> index_argument();
    Index_argumentContext* index_argument(size_t i);
    std::vector<antlr4::tree::TerminalNode *> COMMA();
    antlr4::tree::TerminalNode* COMMA(size_t i);

   
  };

  Index_argumentsContext* index_arguments();

  class  Index_argumentContext : public antlr4::ParserRuleContext {
  public:
    Index_argumentContext(antlr4::ParserRuleContext *parent, size_t invokingState);
    virtual size_t getRuleIndex() const override;
    ExprContext *expr();
    antlr4::tree::TerminalNode *DOTDOT();
    Any_wordContext *any_word();
    antlr4::tree::TerminalNode *COLON();
    std::vector<antlr4::tree::TerminalNode *> PRIME();
    antlr4::tree::TerminalNode* PRIME(size_t i);

   
  };

  Index_argumentContext* index_argument();

  class  StringContext : public antlr4::ParserRuleContext {
  public:
    StringContext(antlr4::ParserRuleContext *parent, size_t invokingState);
    virtual size_t getRuleIndex() const override;
    antlr4::tree::TerminalNode *STRING_OPEN();
    antlr4::tree::TerminalNode *STRING_CLOSE();
    std::vector<antlr4::tree::TerminalNode *> STRING_TEXT();
    antlr4::tree::TerminalNode* STRING_TEXT(size_t i);
    std::vector<InterpolationContext *> interpolation();
    InterpolationContext* interpolation(size_t i);

   
  };

  StringContext* string();

  class  InterpolationContext : public antlr4::ParserRuleContext {
  public:
    InterpolationContext(antlr4::ParserRuleContext *parent, size_t invokingState);
    virtual size_t getRuleIndex() const override;
    antlr4::tree::TerminalNode *INTERPOLATION_OPEN();
    ExprContext *expr();
    antlr4::tree::TerminalNode *INTERPOLATION_CLOSE();
    antlr4::tree::TerminalNode *FORMAT_COLON();
    antlr4::tree::TerminalNode *FORMAT_TEXT();

   
  };

  InterpolationContext* interpolation();

  class  Any_wordContext : public antlr4::ParserRuleContext {
  public:
    Any_wordContext(antlr4::ParserRuleContext *parent, size_t invokingState);
    virtual size_t getRuleIndex() const override;
    antlr4::tree::TerminalNode *IDENT();
    antlr4::tree::TerminalNode *DIM();
    antlr4::tree::TerminalNode *MESH();
    antlr4::tree::TerminalNode *LAYOUT();
    antlr4::tree::TerminalNode *USE();
    antlr4::tree::TerminalNode *OPTION();
    antlr4::tree::TerminalNode *SETTING();
    antlr4::tree::TerminalNode *WITH();
    antlr4::tree::TerminalNode *SEED();
    antlr4::tree::TerminalNode *PRECISION();
    antlr4::tree::TerminalNode *IMPORT();
    antlr4::tree::TerminalNode *LET();
    antlr4::tree::TerminalNode *PARAM();
    antlr4::tree::TerminalNode *STATE();
    antlr4::tree::TerminalNode *MODEL();
    antlr4::tree::TerminalNode *FN();
    antlr4::tree::TerminalNode *FOR();
    antlr4::tree::TerminalNode *WHILE();
    antlr4::tree::TerminalNode *IF();
    antlr4::tree::TerminalNode *ELSE();
    antlr4::tree::TerminalNode *BREAK();
    antlr4::tree::TerminalNode *CONTINUE();
    antlr4::tree::TerminalNode *RETURN();
    antlr4::tree::TerminalNode *ASSERT();
    antlr4::tree::TerminalNode *COUNTERS();
    antlr4::tree::TerminalNode *NO_GRAD();
    antlr4::tree::TerminalNode *F32();
    antlr4::tree::TerminalNode *F64();
    antlr4::tree::TerminalNode *BF16();
    antlr4::tree::TerminalNode *I32();
    antlr4::tree::TerminalNode *BOOL();
    antlr4::tree::TerminalNode *AS();
    antlr4::tree::TerminalNode *IN();
    antlr4::tree::TerminalNode *AND();
    antlr4::tree::TerminalNode *OR();
    antlr4::tree::TerminalNode *NOT();
    antlr4::tree::TerminalNode *TRUE();
    antlr4::tree::TerminalNode *FALSE();
    antlr4::tree::TerminalNode *NONE();

   
  };

  Any_wordContext* any_word();

  class  Precision_wordContext : public antlr4::ParserRuleContext {
  public:
    Precision_wordContext(antlr4::ParserRuleContext *parent, size_t invokingState);
    virtual size_t getRuleIndex() const override;
    Element_typeContext *element_type();
    antlr4::tree::TerminalNode *IDENT();

   
  };

  Precision_wordContext* precision_word();


  virtual bool sempred(antlr4::RuleContext *_localctx, size_t ruleIndex, size_t predicateIndex) override;
  bool exprSempred(ExprContext *_localctx, size_t predicateIndex);

private:
  static std::vector<antlr4::dfa::DFA> _decisionToDFA;
  static antlr4::atn::PredictionContextCache _sharedContextCache;
  static std::vector<std::string> _ruleNames;
  static std::vector<std::string> _tokenNames;

  static std::vector<std::string> _literalNames;
  static std::vector<std::string> _symbolicNames;
  static antlr4::dfa::Vocabulary _vocabulary;
  static antlr4::atn::ATN _atn;
  static std::vector<uint16_t> _serializedATN;


  struct Initializer {
    Initializer();
  };
  static Initializer _init;
};

